"""One detector for each kind of personal data; each yields matches by position in the string."""
