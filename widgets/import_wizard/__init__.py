"""The import wizard: what was recognised, how it will be read, what will be flagged; then go."""
