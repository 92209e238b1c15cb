"""Processes for untrusted input, which can't hold up or end the server."""
