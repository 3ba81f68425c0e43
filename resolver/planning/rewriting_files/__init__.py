"""Steps of plans that write data files again."""
