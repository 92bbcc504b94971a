"""Longmind inside agent frameworks: one module each, none of them imported unless you import it."""
