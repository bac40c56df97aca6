"""The difference between two releases, item by item."""
