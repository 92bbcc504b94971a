"""The memory for agents: operations as tools, resources and prompts of the Model Context Protocol."""
