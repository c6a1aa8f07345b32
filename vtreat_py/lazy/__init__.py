"""Lazy frames of any engine that narwhals knows: polars, DuckDB, Spark, Dask, Ibis."""
