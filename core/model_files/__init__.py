"""Contents of model files, read without running them."""
