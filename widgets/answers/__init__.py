"""Answers of items: one widget per answer format, for the answer key and for blind answers."""
