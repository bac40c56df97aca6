"""The lines of the table of actions, one file per menu."""
