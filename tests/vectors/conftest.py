"""Stores with vectors on both engines, and the real model where it is installed."""

from tests.vectors.engines import many_location, model_is_installed, vector_location, working_pgvector

__all__ = ["many_location", "model_is_installed", "vector_location", "working_pgvector"]
