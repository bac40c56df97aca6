"""Log file, exception hooks and crash reports of a process of Vantage."""
