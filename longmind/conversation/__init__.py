"""What fades? Turns, and the memories made of them."""
