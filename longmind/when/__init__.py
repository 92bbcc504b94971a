"""Which time does a text speak of? English time phrases to half-open ranges of unix milliseconds.

`find.find_times` gives every time phrase of a text with its place and its range, relative to a reference;
`arguments.parse_time` and `parse_moment` read what somebody typed as an argument. Nothing here
reads the clock.
"""
