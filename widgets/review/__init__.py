"""The Review workspace: one queue of cases, their evidence, and the decision."""
