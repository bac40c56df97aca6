"""Programs that the bench starts: a window at work, judged by what was painted, told as JSON."""
