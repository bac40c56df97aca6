"""Model work in the project file: the queue, requests, replies and predictions.

These tables are not projections: they cannot be computed from the log, and a migration keeps them. Their
consequences for items (filtered, flagged) are ordinary commands.
"""
