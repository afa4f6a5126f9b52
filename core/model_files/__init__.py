"""What model files hold, read without running them."""
