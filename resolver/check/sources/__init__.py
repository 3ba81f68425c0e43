"""Files of a repository to proposals: SQL scripts, dbt's properties and manifests, metadata as JSON."""
