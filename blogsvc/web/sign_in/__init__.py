"""Sign in, set up an account, and confirm that it's you."""
