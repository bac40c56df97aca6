"""Questions to an open project, by subject; ``reader.Reader`` unites them. What the window may read."""
