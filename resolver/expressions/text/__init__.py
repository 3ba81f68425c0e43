"""The text of a condition: its tokens and literals as the session reads them, respelled for the parser."""
