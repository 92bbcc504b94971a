"""Which frames say these words?"""
