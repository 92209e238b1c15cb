"""Outbound network access: one HTTP client and one WebSocket client, protected against SSRF."""
