"""ALTER TABLE: properties, features, columns, constraints and clustering."""
