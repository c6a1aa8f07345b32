"""Derived variables, one file each: pure functions of level sums or of a numeric column."""
