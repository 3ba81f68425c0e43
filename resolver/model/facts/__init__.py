"""Facts of the Delta format that several rooms need, each stated once."""
