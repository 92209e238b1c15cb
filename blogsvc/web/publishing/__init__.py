"""Publish a post, see its status at each destination, and post it by hand."""
