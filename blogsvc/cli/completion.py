"""`blogsvc completion`: complete commands and options with the Tab key."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    To install it, run one of these:

    \b
    blogsvc completion bash > ~/.local/share/bash-completion/completions/blogsvc
    blogsvc completion zsh > "${fpath[1]}/_blogsvc"
    blogsvc completion fish > ~/.config/fish/completions/blogsvc.fish
    """
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(context.find_root().command, {}, "blogsvc", "_BLOGSVC_COMPLETE").source())
