"""Hooks of coding agents: context for their sessions and prompts, and their turns saved."""
