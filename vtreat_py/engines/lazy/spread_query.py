"""The test of spread on rows of a lazy frame: all of them, or a part of very many."""
