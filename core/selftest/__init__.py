"""Whether every part of the installed program works here."""
