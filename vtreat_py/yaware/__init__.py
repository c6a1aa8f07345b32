"""y-aware scaling, and principal components of the scaled columns."""
