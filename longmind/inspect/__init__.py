"""The Inspector: pages in a browser that show what a store knows, why, and since when."""
