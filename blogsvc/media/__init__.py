"""Verbs about media: the images that authors upload."""
