"""What an instance needs to run: checks at start."""
