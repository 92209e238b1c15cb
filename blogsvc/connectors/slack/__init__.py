"""Slack, as an app (`slack`) and through an incoming webhook (`slack-hook`)."""

from blogsvc.connectors.slack.connector import Slack
from blogsvc.connectors.slack.incoming_webhook import SlackHook

__all__ = ["Slack", "SlackHook"]
