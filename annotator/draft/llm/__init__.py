"""Drafting by model: chains of prompts, and the reading of what models reply into the fields of items."""
