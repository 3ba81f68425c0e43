"""New metadata on its way into a table: properties, schema and the rules that both must keep."""
