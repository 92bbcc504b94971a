"""In which order a space answers: five ways behind one protocol."""
