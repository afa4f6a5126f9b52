"""Documents: from files in a folder to pages, headings and passages; copies and versions."""
