"""The hooks of coding agents: what they are told when a session goes on, and what is kept of it."""
