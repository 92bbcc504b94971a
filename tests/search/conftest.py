"""Stores with vectors on both engines, and the real model where it is installed."""

from tests.vectors.engines import model_is_installed, vector_location, working_pgvector

__all__ = ["model_is_installed", "vector_location", "working_pgvector"]
