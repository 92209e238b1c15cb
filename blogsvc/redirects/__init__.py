"""Redirects and missing addresses: what owners can change about addresses without a page."""
