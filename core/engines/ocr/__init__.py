"""Text from pictures of pages."""
