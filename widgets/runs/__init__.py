"""The Runs workspace: model work begun, watched, steered and judged."""
