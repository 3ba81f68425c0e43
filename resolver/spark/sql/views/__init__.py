"""Views over Delta tables: temporary ones that Spark keeps, and those of the catalog."""
