"""Releases with the checks: what one would take, its gates, the releases that contain an item."""
