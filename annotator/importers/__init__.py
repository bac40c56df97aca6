"""Other people's files in: one importer per format, found by content."""
