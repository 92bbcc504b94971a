"""The memory over HTTP, for programs on the same machine."""
