"""Which frames, in what order, and why?"""
