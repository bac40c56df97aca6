"""Drafting of items from what a project knows about its scenes."""
