"""Sums that add and subtract, and what is computed from them. Nothing here sees a frame."""
