"""How far each part of the case can be trusted, in figures."""
