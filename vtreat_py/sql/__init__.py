"""A plan as SQL text: the same numbers as `prepare`, where the data are."""
