"""Vantage without a screen: domain, project file, crafts, commands and session."""

__version__ = "0.1.0"
