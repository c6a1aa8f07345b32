"""Designs under differential privacy: noisy tables, and plans that are made of them alone."""
