"""The Library workspace: scenes and items as lists, with filters and the record beside them."""
