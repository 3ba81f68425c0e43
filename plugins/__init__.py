"""Plugins: the hooks, their manager and admission to the catalog. The only place that knows pluggy."""
