"""Checks of an installation and of a project file, for the command ``doctor``."""
