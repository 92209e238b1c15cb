"""The command palette and the shortcuts."""
