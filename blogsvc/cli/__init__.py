"""The command line. A command is imported when it runs, so that `blogsvc --help` starts fast."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click

from blogsvc.lib.no_garbage import no_garbage


class Lazy(NamedTuple):
    """A command that is not imported yet: the module below blogsvc.cli, the name in it, and one line of help."""

    module: str
    name: str
    summary: str


COMMANDS = {
    "backup": Lazy("backup", "backup", "Back up the database, images and key file to FILE."),
    "blog": Lazy("blog", "blog", "Show or change the settings of the blog."),
    "completion": Lazy("completion", "completion", "Print the completion script of a shell."),
    "connection": Lazy("connections", "connection", "Manage the accounts that posts are published to."),
    "delivery": Lazy("deliveries", "delivery", "Unpublish copies on platforms, and remove extra ones."),
    "demo": Lazy("demo", "demo", "Start a temporary blog with sample posts."),
    "doctor": Lazy(
        "doctor", "doctor", "Check the database, key, files, clock, e-mail, disk, backups, certificate and proxy."
    ),
    "export": Lazy("transfer", "export_command", "Export all posts to FILE."),
    "import": Lazy("transfer", "import_command", "Import the posts of FILE."),
    "key": Lazy("keys", "key", "Manage API keys."),
    "mail": Lazy("mail", "mail", "Test the settings for e-mail."),
    "migrate": Lazy("migrate", "migrate_command", "Update the database to the schema of this version."),
    "post": Lazy("posts", "post", "Write, publish and list posts."),
    "processes": Lazy("processes", "processes_command", "List the processes that share a PostgreSQL."),
    "redirects": Lazy("redirects", "redirects", "Manage redirects of addresses without a page."),
    "restore": Lazy("backup", "restore", "Restore the backup FILE into an empty data directory or PostgreSQL."),
    "scheduler": Lazy("serve", "scheduler", "Run the scheduler without a server."),
    "secrets": Lazy("secrets", "secrets", "Manage the key that encrypts secrets."),
    "serve": Lazy("serve", "serve", "Start the server and the scheduler."),
    "tick": Lazy("serve", "tick", "Publish and deliver what is due, once."),
    "user": Lazy("users", "user", "Manage users."),
}


class LazyGroup(click.Group):
    """A group whose help lists the commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (lazy := COMMANDS.get(cmd_name)) is None:
            return None
        with no_garbage():
            command: click.Command = getattr(import_module(f"blogsvc.cli.{lazy.module}"), lazy.name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].summary) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="blogsvc", prog_name="blogsvc")
def main() -> None:
    """Write a post once; publish it on your blog and on other platforms.

    Exit codes: 0 success, 1 error, 2 usage error, 3 rejected by a platform, 4 invalid setting.
    """
