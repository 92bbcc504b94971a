"""What worked last time? Problems, what was tried on them, what is true now, and the brief beforehand."""
