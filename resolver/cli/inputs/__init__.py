"""What commands are given: paths, JSON on standard input, changes, clients."""
