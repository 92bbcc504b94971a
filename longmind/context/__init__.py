"""What fits?"""
