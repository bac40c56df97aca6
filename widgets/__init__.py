"""The main window: displays a session and converts user input into commands."""
