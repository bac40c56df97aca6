"""The project file: event log, projections, staging, backups. The only importer of SQLite."""
