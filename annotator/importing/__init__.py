"""Imports before and after their command: what a path contains, a preview, embedded images."""
