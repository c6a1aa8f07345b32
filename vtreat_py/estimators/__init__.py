"""Treatments as scikit-learn transformers."""
