"""Bringing in what other memories and chat services keep, and writing it out again in their formats."""
