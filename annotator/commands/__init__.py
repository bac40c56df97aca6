"""Commands: each class turns ids and values into edits that are executed, undone and redone as a whole."""
