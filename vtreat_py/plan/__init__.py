"""The plan as data: what was learned, and its forms."""
