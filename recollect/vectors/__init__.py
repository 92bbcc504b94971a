"""Which frames mean this?"""
