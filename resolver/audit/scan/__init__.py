"""One table looked at: its log read as far as an audit needs it, in any process."""
