"""Verbs about deliveries: preview, send, record the outcome, report the status, and check the copies later."""
