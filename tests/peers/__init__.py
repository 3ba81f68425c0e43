"""Other implementations of Delta Lake, asked by our tests, recorders and benchmarks. Never imported by the product."""
