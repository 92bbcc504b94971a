"""What was true, and what did we know? Typed facts on two time axes, each with its evidence."""
