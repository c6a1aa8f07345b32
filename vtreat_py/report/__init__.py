"""A plan as a page to read: what was in the columns, what was made of them, and why."""
