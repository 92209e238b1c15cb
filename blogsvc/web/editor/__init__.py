"""Write a post: the editor with its autosave, the details, previews, versions and share links."""
