"""The commands, a module a feature: the grammar of each beside the function that runs it."""
