"""Engines in child processes, so that a hostile file or a bad model kills a child and never the program.

The program's side (``engines``, over ``pool``, ``client`` and ``process``) implements the ports of ``core.ports``; the
child's side (``server``) builds the real engine and serves it. They talk over the child's standard input and output
only, in frames (``frames``) that carry values (``wire``). Nothing is pickled and nothing listens on a port; anything
odd ends the child.
"""
