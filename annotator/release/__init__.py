"""Releases: a frozen, hashed selection of a project's records in the file format of a benchmark."""
