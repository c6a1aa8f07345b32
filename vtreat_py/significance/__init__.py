"""Tests and one-variable scores, one file each."""
