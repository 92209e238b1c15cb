"""Notes of Obsidian."""
