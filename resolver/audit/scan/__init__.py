"""The audit of one table, in any process: its log is read only as far as an audit needs it."""
