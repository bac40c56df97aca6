"""Bundles: parts of a log as a file, written on one workstation and merged on another (docs/bundles.md)."""
