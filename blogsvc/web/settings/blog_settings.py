"""The blog settings: title, description, author, language and publishing."""

from __future__ import annotations

from flask import Response
from wtforms import BooleanField, SelectChoice, SelectField, StringField, TextAreaField
from wtforms.validators import DataRequired, Length

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.index_now import manage
from blogsvc.lib.content_usage import CONTENT_USAGE
from blogsvc.lib.text.slug_letters import SCRIPTS
from blogsvc.models import Setting, setting, transaction
from blogsvc.models.setting import BLOG, describe_blog
from blogsvc.posts.undo import UNDO_CHOICES
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.settings.site_images import WORDING, chosen_images

SLUG_LETTERS = {"latin": "Latin letters where they can be read", "native": "Letters of the language"}
AI_PREFERENCES = {
    "unset": "Say nothing",
    "no-training": "No training of AI models",
    "no-ai-use": "No training, and no use in answers of AI",
}


class BlogForm(Form):
    title = StringField("Title", [DataRequired("Enter a title."), Length(max=BLOG["title"])])
    description = TextAreaField("Description", [Length(max=BLOG["description"])])
    author = StringField("Author", [Length(max=BLOG["author"])])
    language = StringField("Language", [DataRequired("Enter a language tag such as en.")])
    undo = SelectField(
        "Time to undo publishing",
        choices=[SelectChoice(str(seconds), f"{seconds} seconds" if seconds else "None") for seconds in UNDO_CHOICES],
    )
    slug_script = SelectField(
        "Letters in the addresses of posts", choices=[SelectChoice(name, SLUG_LETTERS[name]) for name in SCRIPTS]
    )
    ai_preference = SelectField("AI", choices=[SelectChoice(name, AI_PREFERENCES[name]) for name in CONTENT_USAGE])
    index_now = BooleanField("Tell search engines about new, changed and removed pages (IndexNow)")
    security_contact = StringField("Contact for security problems", [Length(max=BLOG["security_contact"])])


@route("GET POST", "/desk/settings/blog", role="owner", effect=Effect.ARRANGE)
def blog_settings() -> Response:
    undo_seconds = str(Setting.read("undo_seconds"))
    form = BlogForm(data={**setting.blog(), "undo": undo_seconds, "index_now": manage.is_on()})
    if not form.is_submitted():
        return _shown(form)
    if not form.validate():
        return _shown(form, 422)
    try:
        with transaction():
            describe_blog({name: " ".join((form[name].data or "").split()) for name in BLOG})
            manage.switch(on=form.index_now.data)
            Setting.write("undo_seconds", int(form.undo.data))
    except Invalid as error:
        take_faults(form, error)
        return _shown(form, 422)
    notice("Settings saved.")
    return go("desk.blog_settings")


def _shown(form: BlogForm, status: int = 200) -> Response:
    return show(
        "desk/settings/blog.html",
        status=status,
        form=form,
        address=context.tools().config.public_url,
        images=chosen_images(),
        wording=WORDING,
        index_now=manage.report(context.tools().config.public_url),
    )
