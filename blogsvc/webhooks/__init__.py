"""Verbs about webhooks: manage subscriptions, build the payloads and deliver them."""
