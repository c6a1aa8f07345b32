"""Where plans are applied, and statistics computed, outside of memory."""
