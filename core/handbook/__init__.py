"""The handbook: pages of Markdown in resources/handbook, in the order of their contents, and the search in them."""
