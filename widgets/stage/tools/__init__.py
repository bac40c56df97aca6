"""Tools of the stage: each a state with press, move, release, key and paint."""
