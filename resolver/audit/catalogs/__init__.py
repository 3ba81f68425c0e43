"""Tables by the names that catalogs and list files have for them, with their owners."""
