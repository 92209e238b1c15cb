"""Change and check the social links, on the page of the menus."""

from __future__ import annotations

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.models import transaction
from blogsvc.navigation.profiles import check_profile
from blogsvc.navigation.social_links import own_links, save_social_links
from blogsvc.posts.profile_links import ProfileLink
from blogsvc.web.framework.routes import route
from blogsvc.web.settings.menus import Entry, changed_meanwhile, done, faults_of, page, rearrange, sent_action

SOCIAL = "social"


@route("POST", "/desk/settings/social-links", role="owner", effect=Effect.ARRANGE)
def change_social_links() -> Response:
    """Add a link, or change one: its text or address, its place, or remove it."""
    action, number = sent_action()
    sent = ProfileLink(request.form.get("label", ""), request.form.get("url", ""), "is_me" in request.form)
    with transaction():
        links = own_links()
        if action == "add":
            number = len(links)
            links.append(sent)
        elif not 0 <= number < len(links) or links[number].url != request.form.get("was"):
            return changed_meanwhile()
        elif action == "save":
            links[number] = sent
        else:
            number = rearrange(links, action, number)
        try:
            save_social_links([link._asdict() for link in links])
        except Invalid as error:
            return page(Entry(SOCIAL, action, number, faults_of(error), request.form))
    return done(Entry(SOCIAL, action, number))


@route("POST", "/desk/settings/social-links/check", role="owner", effect=Effect.ARRANGE)
def check_social_link() -> Response:
    """Fetch a profile, and show on the page whether it links back."""
    _, number = sent_action()
    place = "accounts" if "account" in request.form else SOCIAL
    try:
        check = check_profile(request.form.get("was", "").strip(), context.tools())
    except Invalid as error:
        return page(Entry(place, "check", number, faults_of(error)))
    return page(Entry(place, "check", number, check=check))
