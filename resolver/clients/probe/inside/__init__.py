"""Code that runs in a client's environment. It imports nothing of this package, and libraries only inside an act."""
