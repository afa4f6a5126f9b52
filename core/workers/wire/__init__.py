"""Values on their way between the program and a child: each crosses through one pair of plain functions.

The reading half trusts nothing.
"""
