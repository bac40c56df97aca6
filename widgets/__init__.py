"""The window: draws a session and turns gestures into commands."""
