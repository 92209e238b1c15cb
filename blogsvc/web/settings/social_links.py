"""Change and check the social links, on the page of the menus."""

from __future__ import annotations

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import NotFound
from blogsvc.models import transaction
from blogsvc.navigation.profiles import check_profile
from blogsvc.navigation.social_links import account_links, own_links, save_social_links
from blogsvc.posts.profile_links import ProfileLink
from blogsvc.web.framework.routes import route
from blogsvc.web.settings.link_list import LinkList, change, sent_list, typed_in
from blogsvc.web.settings.menus import show_changed


@route("POST", "/desk/settings/social-links", role="owner", effect=Effect.ARRANGE)
def change_social_links() -> Response:
    """Save the social links, and add one, move one up or down, remove one, or check whether a profile links back."""
    new = ProfileLink(request.form.get("new_label", ""), request.form.get("new_url", ""), "new_is_me" in request.form)
    with transaction():
        sent = sent_list("social", own_links(), _typed)
        changed = change(sent, new, lambda links: save_social_links([link._asdict() for link in links]), "#")
    if changed.status == 200 and changed.action in ("check", "account"):
        _check(changed)
    return show_changed(changed)


def _typed(_link: ProfileLink, row: int) -> ProfileLink:
    return ProfileLink(typed_in("label", row), typed_in("url", row), str(row) in request.form.getlist("is_me"))


def _check(changed: LinkList[ProfileLink]) -> None:
    """Fetch the profile of a row, or that of a connected account, to see whether it links back."""
    links = [row.link for row in changed.rows]
    if changed.action == "account":
        links = account_links(links)
    if not 0 <= changed.number < len(links):
        raise NotFound("There is no such link.")
    changed.check = check_profile(links[changed.number].url, context.tools())
