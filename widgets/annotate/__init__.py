"""The Annotate workspace: scenes, stage, and what is marked in them."""
