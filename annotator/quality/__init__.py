"""Quality of items: checks on each item and over whole sets, and what they found."""
