"""Who may ask a server for what: keys, the spaces and users they are for, and the checks before a route."""
