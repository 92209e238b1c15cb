"""`blogsvc mail`: test the settings for e-mail."""

from __future__ import annotations

import click

from blogsvc.cli.terminal import in_app
from blogsvc.context import Tools
from blogsvc.notices.send import send_test


@click.group()
def mail() -> None:
    """Test the settings for e-mail."""


@mail.command("test")
@click.argument("address")
@in_app
def mail_test(tools: Tools, address: str) -> None:
    """Send a test e-mail to ADDRESS. If that fails, the error names the setting to change."""
    send_test(address, tools)
    click.echo(f"{tools.config.smtp_host} accepted a test e-mail to {address}.")
