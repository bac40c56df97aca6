"""The bench: what Vantage takes on this machine, against its targets and against bare baselines."""
