"""Media: files, frames, caches, and pictures as a model sees them."""
