"""Texts: what is in them, how they differ, how platforms count them, and how people search them."""
