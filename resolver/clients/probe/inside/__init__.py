"""What runs inside a client's environment: nothing here imports this package, or a library before an act needs it."""
