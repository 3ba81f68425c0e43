"""SQL on Delta tables: statements read here and carried out by calls of the DataFrame API, all else by Spark."""
