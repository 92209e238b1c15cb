"""Outbound network access: one HTTP client and one WebSocket client, guarded against private addresses."""
