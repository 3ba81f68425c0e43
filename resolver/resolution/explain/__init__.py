"""A resolution for people: text, Markdown, a graph. Nothing is decided here."""
