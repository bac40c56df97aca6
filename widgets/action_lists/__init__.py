"""The rows of the action table, one file per menu."""
