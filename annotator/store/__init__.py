"""The project file: event log, projections, queries, backups. The only importer of SQLite."""
