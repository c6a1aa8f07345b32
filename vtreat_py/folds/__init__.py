"""Cross-validation plans."""
