"""Results and comparisons as charts and as one self-contained page."""
