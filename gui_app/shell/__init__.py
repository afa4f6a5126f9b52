"""The frame around the screens."""
