"""The settings: blog, destinations, API keys, webhooks, users, profile, import and export."""
