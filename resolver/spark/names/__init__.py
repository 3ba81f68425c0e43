"""Tables by name: what the session's catalog knows of Delta tables, on classic Spark and on Connect."""
