"""What an instance needs to run: checks at start, and the checks of `blogsvc doctor`."""
