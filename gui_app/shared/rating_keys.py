"""The keys that give a rating, the same wherever one is typed."""

from __future__ import annotations

from core.domain import Rating

TYPING_MS = 700  # within this a second letter belongs to the first: C C is CC
DIGITS: dict[str, Rating] = {"1": "CC", "2": "C", "3": "N", "4": "I", "5": "II"}
FIRST: dict[str, Rating] = {"c": "C", "n": "N", "i": "I"}
SECOND: dict[tuple[Rating, str], Rating] = {("C", "c"): "CC", ("I", "i"): "II", ("N", "a"): "NA"}
