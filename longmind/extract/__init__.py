"""What does this text say? Statements with their evidence, and the personal data in it.

Names are imported from the modules, so that what only speaks of statements does not load the rules.
"""
