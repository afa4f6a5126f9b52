"""Recovery: a new case made of what can be read of a damaged one."""
