"""A result as text, Markdown, JSON, SARIF, JUnit's XML, and annotations of GitHub."""
