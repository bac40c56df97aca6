"""The Annotate workspace: scenes, stage and annotations."""
