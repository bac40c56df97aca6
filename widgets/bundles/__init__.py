"""Exchange with other workstations: dialogs for bundles, their reports and forks."""
