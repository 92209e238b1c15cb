"""The blog settings: title, description, author, language, publishing and appearance."""

from __future__ import annotations

from flask import Response
from wtforms import BooleanField, ColorField, SelectChoice, SelectField, StringField, TextAreaField
from wtforms.validators import DataRequired, Length

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.index_now import manage
from blogsvc.lib.content_usage import CONTENT_USAGE
from blogsvc.lib.text.slug_letters import SCRIPTS
from blogsvc.models import Setting, setting, transaction
from blogsvc.models.setting import BLOG, describe_blog
from blogsvc.models.theme import FONT_FACES, PAGE_WIDTHS, Theme, save_theme
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
LOOKS = {
    "charter": "Charter (serif)",
    "sans": "Sans serif of the reader's system",
    "antique": "Palatino (serif)",
    "typewriter": "Monospace",
    "narrow": "Narrow (about 55 characters per line)",
    "normal": "Normal (about 66)",
    "wide": "Wide (about 80)",
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
    accent = ColorField("Link color")
    face = SelectField("Typeface", choices=[SelectChoice(name, LOOKS[name]) for name in FONT_FACES])
    width = SelectField("Text width", choices=[SelectChoice(name, LOOKS[name]) for name in PAGE_WIDTHS])


@route("GET POST", "/desk/settings/blog", role="owner", effect=Effect.ARRANGE)
def blog_settings() -> Response:
    theme = Theme.read()
    undo_seconds = str(Setting.read("undo_seconds"))
    form = BlogForm(
        data={
            **setting.blog(),
            "undo": undo_seconds,
            "accent": theme.accent,
            "face": theme.face,
            "width": theme.width,
            "index_now": manage.is_on(),
        }
    )
    if not form.is_submitted():
        return _shown(form)
    if not form.validate():
        return _shown(form, 422)
    try:
        with transaction():
            describe_blog({name: " ".join((form[name].data or "").split()) for name in BLOG})
            manage.switch(on=form.index_now.data)
            Setting.write("undo_seconds", int(form.undo.data))
            save_theme(Theme((form.accent.data or "").lower(), form.face.data, form.width.data))
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
