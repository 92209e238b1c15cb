"""Helpers that several connectors share: requests, responses, images, announcements and Markdown dialects."""
