"""Releases: a frozen, hashed selection of a project's records in the form that a benchmark publishes."""
