"""The package that `deltaresolver new-feature` writes."""
