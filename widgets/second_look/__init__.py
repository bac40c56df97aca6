"""The second look: people answer items without seeing the answer key, and decide on it afterwards."""
