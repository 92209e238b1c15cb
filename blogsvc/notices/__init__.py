"""Notices: e-mails to users, and events for webhooks, when something needs a person."""
