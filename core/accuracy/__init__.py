"""How far each part of a case can be trusted, in figures: each with its interval, its count and its basis."""
