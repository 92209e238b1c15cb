"""Verbs about analytics: count page views and report how posts did."""
