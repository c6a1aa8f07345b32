"""Where statistics are computed and plans applied, when not in memory."""
