"""The writing of commands, their undo and their redo into the log of an open project."""
