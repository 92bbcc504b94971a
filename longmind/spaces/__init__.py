"""Project spaces: whose is it, what may be kept, and what of it fits a topic?"""
