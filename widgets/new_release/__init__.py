"""The dialog for a new release, with its splits and subset."""
