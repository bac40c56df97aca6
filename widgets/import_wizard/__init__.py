"""The import wizard: detected files, how they are read, and which flags the import creates."""
