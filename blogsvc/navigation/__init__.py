"""What the blog shows around every page: its menus and its links to profiles elsewhere."""
