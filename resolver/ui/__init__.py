"""The what-if page: a table, changes to try on it, and at once what would become of its protocol and its clients."""
