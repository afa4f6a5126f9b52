"""Text from files, a module for each kind; ``dispatch`` chooses."""
