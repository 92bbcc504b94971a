"""One test for each thing that the design documents ask for, named after what it asks."""
