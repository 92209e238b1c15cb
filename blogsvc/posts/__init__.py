"""Verbs about posts: write, check, publish, schedule, list. Each is one transaction; none uses the network or Flask."""
