"""Verbs about connections: add, verify, load, change and disconnect an account on a platform."""
