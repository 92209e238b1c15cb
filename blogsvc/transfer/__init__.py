"""Import and export posts; back up and restore an instance."""
