"""Tools of the stage: state objects with handlers for press, move, release, key and paint."""
