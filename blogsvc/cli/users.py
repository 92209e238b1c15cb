"""`blogsvc user`: users, invitations and passwords."""

from __future__ import annotations

import sys

import click

from blogsvc.auth import accounts, setup, users
from blogsvc.cli.terminal import as_json, in_app, show
from blogsvc.context import Tools
from blogsvc.errors import NotFound
from blogsvc.lib.time import stamp
from blogsvc.models import Invitation, Passkey, Session, User
from blogsvc.models.user import ROLES

email_argument = click.argument("email")
role_choice = click.Choice(ROLES)


@click.group()
def user() -> None:
    """Manage users."""


@user.command("list")
@as_json
@in_app
def user_list(tools: Tools, as_json: bool) -> None:
    """List users, their roles and how they sign in."""
    now = tools.now()
    show(
        (
            {
                "email": user.email,
                "name": user.name,
                "role": user.role,
                "zone": user.time_zone,
                "codes": "on" if user.asks_for_code else "off",
                "passkeys": len(Passkey.all_of(user)),
                "sessions": len(Session.all_of(user, now)),
                "created": stamp(user.created_at),
            }
            for user in User.all()
        ),
        as_json,
    )


@user.command("add")
@email_argument
@click.option("--name", required=True, help="The user's name.")
@click.option("--role", type=role_choice, default="author", show_default=True)
@click.option("--zone", default="UTC", show_default=True, help="The user's time zone, such as Europe/Berlin.")
@in_app
def user_add(tools: Tools, email: str, name: str, role: str, zone: str) -> None:
    """Add a user. Prompts for the password, or reads it from standard input."""
    user = accounts.add_user(email, name, _password(), role, zone, tools.now())  # type: ignore[arg-type]
    click.echo(f"{user.email} is {user.role}.")


@user.command("invite")
@click.option("--role", type=role_choice, default="author", show_default=True)
@click.option("--note", default="", help="A note to tell invitations apart.")
@in_app
def user_invite(tools: Tools, role: str, note: str) -> None:
    """Print an invitation link for one user, valid for seven days. It is not shown again."""
    invitation, token = users.invite(role, note, tools.now())  # type: ignore[arg-type]
    click.echo(f"{tools.config.public_url}/login/invite/{token}")
    click.echo(f"Valid for one use until {stamp(invitation.expires_at)}.", err=True)


@user.command("invitations")
@click.option("--take-back", "taken_back", metavar="ID", help="Revoke an invitation.")
@as_json
@in_app
def user_invitations(tools: Tools, taken_back: str | None, as_json: bool) -> None:
    """List the unused invitations, or revoke one."""
    if taken_back:
        users.revoke_invitation(taken_back)
    show(
        (
            {"id": row.id, "role": row.role, "note": row.note, "until": stamp(row.expires_at)}
            for row in Invitation.open(tools.now())
        ),
        as_json,
    )


@user.command("role")
@email_argument
@click.argument("role", type=role_choice)
@in_app
def user_role(tools: Tools, email: str, role: str) -> None:
    """Change the role of a user. You can't change the last owner's role.

    With a role lower than owner, their webhooks and open invitations end, and their API keys do no more than the role
    allows.
    """
    user = users.change_role(_user(email).id, role, tools.now())  # type: ignore[arg-type]
    click.echo(f"{user.email} is {user.role}.")


@user.command("remove")
@email_argument
@in_app
def user_remove(tools: Tools, email: str) -> None:
    """Remove a user. You can't remove the last owner.

    Their sessions, API keys, webhooks and open invitations end. Their posts and destinations stay.
    """
    users.remove(_user(email).id, tools.now())
    click.echo(f"Removed {email}.")


@user.command("password")
@email_argument
@click.option("--totp-off", is_flag=True, help="Turn off two-factor codes too.")
@click.option("--passkeys-off", is_flag=True, help="Remove the user's passkeys too.")
@in_app
def user_password(tools: Tools, email: str, totp_off: bool, passkeys_off: bool) -> None:
    """Set a user's password and end their sessions. Prompts for the password, or reads it from standard input."""
    accounts.reset_password(_user(email), _password(), codes_too=totp_off, passkeys_too=passkeys_off)
    click.echo(f"Set a new password for {email}{' and turned off two-factor codes' if totp_off else ''}.")
    if passkeys_off:
        click.echo(f"Removed the passkeys of {email}.")


@user.command("sign-out")
@email_argument
@in_app
def user_sign_out(tools: Tools, email: str) -> None:
    """End all sessions of a user."""
    ended = accounts.sign_out_everywhere(_user(email))
    click.echo(f"Signed {email} out of {ended} session{'' if ended == 1 else 's'}.")


@user.command("setup-link")
@in_app
def user_setup_link(tools: Tools) -> None:
    """Print a new setup link for the first user. The previous link stops working."""
    click.echo(f"{tools.config.public_url}/setup/{setup.replace_setup_link(tools.vault)}")


def _user(email: str) -> User:
    user = User.by_email(email)
    if user is None:
        raise NotFound(f"There is no user with the e-mail address {email!r}. Run `blogsvc user list` to see all users.")
    return user


def _password() -> str:
    """Prompt for a password, or read it from standard input, so that it never appears in the shell history."""
    if sys.stdin.isatty():
        asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return asked
    return sys.stdin.readline().rstrip("\r\n")
