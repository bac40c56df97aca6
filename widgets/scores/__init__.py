"""The Scores workspace: predictions of models against the answer keys of a release."""
