"""The report of a release: its figures, and their rendering as HTML and PDF."""
