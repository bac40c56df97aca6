"""One module per kind of model work, each with one object ``KIND``."""
