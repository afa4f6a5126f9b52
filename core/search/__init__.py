"""Search by words and by meaning, fused into one ranking."""
