"""Statistics of a design that are kept: sums that merge, forget, and become a plan again."""
