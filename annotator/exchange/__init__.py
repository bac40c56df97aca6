"""Exchange of bundles for the window and the command line: merges with a report, and the exchange folder."""
