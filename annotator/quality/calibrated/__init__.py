"""The calibrated policy: how strongly text points at answer keys, and how at wrong options."""
