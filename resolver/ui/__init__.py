"""The what-if page: try changes on a table and see at once how its protocol and its clients would be affected."""
