"""Types and rules of the product, pure: no files, no database, no screen."""
