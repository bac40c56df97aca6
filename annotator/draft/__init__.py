"""Drafting of items from the labels and media of a project's scenes."""
