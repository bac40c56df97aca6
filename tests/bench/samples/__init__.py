"""Made-up files of every format that is read, for the figures of the import."""
