"""Scoring: predictions of a model against the answer keys of a release, by the rules that were published."""
