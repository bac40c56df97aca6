"""Drafting by model: sequences of prompts, and the parsing of replies into the fields of items."""
