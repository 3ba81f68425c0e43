"""Pages about clients: one client, all of them, and the tables of the Databricks page."""
