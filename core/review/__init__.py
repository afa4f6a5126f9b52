"""Proposals: found and judged by the machine, decided by a person."""
