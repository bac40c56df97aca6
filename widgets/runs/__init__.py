"""The Runs workspace: create runs, monitor and control them, and apply their outcomes."""
