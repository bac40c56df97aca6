"""Parts of commands: edits that follow from a record and the project, used by one command or several."""
