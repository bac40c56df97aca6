"""The Library workspace: scenes, items and media as lists, with filters and an inspector."""
