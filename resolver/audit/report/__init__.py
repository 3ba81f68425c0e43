"""The audit as one self-contained HTML file."""

from deltaresolver.audit.report.render import check, write, write_html

__all__ = ["check", "write", "write_html"]
