"""Floor plans with furniture, seen from above, and what is true about them."""
