"""What some forms of ALTER TABLE need Spark for."""
