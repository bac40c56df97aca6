"""Checks of an installation and of a project file, for the verb ``doctor``."""
