"""Where is it kept, and is it safe?"""
