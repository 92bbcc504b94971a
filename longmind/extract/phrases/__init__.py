"""How far a value reaches in a text: one reader for each sort of value."""
