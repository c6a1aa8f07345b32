"""The engine for frames in memory."""
