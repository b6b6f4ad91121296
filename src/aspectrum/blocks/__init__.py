"""Building blocks that several metrics share."""
