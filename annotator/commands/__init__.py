"""One class per gesture or batch step: ids and values in, edits out."""
