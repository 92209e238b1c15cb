"""`blogsvc doctor`: check an instance."""

from __future__ import annotations

import json
import sys

import click

from blogsvc import create_app
from blogsvc.cli.terminal import REFUSED, as_json, errors_reported, opening
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.health.checks import examine
from blogsvc.lib.crypto import Vault, new_vault_key
from blogsvc.lib.setting_checks import BadSetting
from blogsvc.models import close_connections


@click.command()
@as_json
def doctor(as_json: bool) -> None:
    """Check the database, key, files, clock, e-mail, disk, backups, certificate and proxy.

    Changes nothing; the server may run meanwhile.

    Prints a line for each check, which starts with ok or problem. Exits with code 1 if there is a problem.
    """
    with errors_reported():
        config = Config.load()
        if not config.instance.is_dir():
            raise BadSetting(f"There is no data directory {config.instance}. Check BLOGSVC_INSTANCE.")
        # The key is itself checked, so the application, which serves nothing, gets another one.
        tools = Tools(config, Vault([new_vault_key()]))
        with opening(config):
            app = create_app(tools=tools)
        findings = []
        with app.app_context():
            for finding in examine(tools):
                findings.append(finding)
                if not as_json:
                    click.echo(f"{'ok' if finding.is_ok else 'problem':8} {finding.check:12} {finding.message}")
            close_connections()
    if as_json:
        rows = [{"check": one.check, "ok": one.is_ok, "message": one.message} for one in findings]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    if not all(finding.is_ok for finding in findings):
        sys.exit(REFUSED)
