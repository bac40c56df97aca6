"""The Release workspace: what must hold before a release, and what it would be."""
