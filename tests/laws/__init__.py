"""Laws that hold for whatever comes, and what they are tried on; `tests.fuzz` runs them."""
