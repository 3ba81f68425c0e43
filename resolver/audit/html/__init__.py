"""The audit as one self-contained HTML file."""

from deltaresolver.audit.html.render import write, write_html

__all__ = ["write", "write_html"]
