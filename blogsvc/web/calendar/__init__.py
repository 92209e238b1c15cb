"""Scheduled posts by day, and the weekly queue."""
