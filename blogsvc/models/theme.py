"""The look of the public blog: the options of its theme, which become variables of its style sheet, and custom CSS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.lib import color_contrast
from blogsvc.lib.color_contrast import Rgb
from blogsvc.lib.css_check import css_faults
from blogsvc.lib.time import parse, stamp
from blogsvc.models.setting import Setting, site_changed

HARBOUR = "harbour"
# The backgrounds in static/blog.css: --paper, --tint, and those of green, yellow and red callouts.
GROUNDS = {
    "light": tuple(map(color_contrast.parse, ("#fdfcfa", "#f4f2ed", "#e8f0ea", "#f1ede4", "#f7e9e6"))),
    "dark": tuple(map(color_contrast.parse, ("#11181f", "#1a232b", "#17282a", "#242625", "#262227"))),
}
LIGHT, DARK = GROUNDS["light"][0], GROUNDS["dark"][0]
# How much of the color of links is in the background of other callouts.
CALLOUT_SHARE = 0.09
# The minimum contrast ratio of text and background in WCAG 2.2 AA.
MIN_CONTRAST = 4.5
MAX_CSS_LENGTH = 64 * 1024
# How long the former look can be restored.
FORMER_KEPT_FOR = timedelta(days=30)

# What the typefaces are in CSS, before the fonts for other scripts; that of Harbour is in the style sheet.
FACES = {
    "harbour": "",
    "charter": 'Charter, "Bitstream Charter", "Charis SIL", "Sitka Text", Cambria',
    "sans": 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    "antique": '"Iowan Old Style", "Palatino Linotype", "URW Palladio L", P052',
    "typewriter": 'ui-monospace, "Cascadia Code", "Source Code Pro", Menlo, "DejaVu Sans Mono", monospace',
}
WIDTHS = {"narrow": "29rem", "normal": "", "wide": "38rem"}
LAYOUTS = ("list", "cards")
SCHEMES = ("auto", "light", "dark")
CHOICES = {"scheme": SCHEMES, "face": tuple(FACES), "width": tuple(WIDTHS), "layout": LAYOUTS}


def backgrounds(scheme: str, shade: Rgb) -> tuple[Rgb, ...]:
    """Return what links of a shade stand on. Callouts have a background that is mixed from it."""
    grounds = GROUNDS[scheme]
    return (*grounds, color_contrast.mixed(shade, grounds[0], CALLOUT_SHARE))


class LinkColor(NamedTuple):
    """The color of links on light or dark pages, and its contrast with the background that is the most like it."""

    scheme: Literal["light", "dark"]
    color: str
    contrast: float
    # Why it is not the color that the owner chose, or "".
    note: str


@dataclass(frozen=True)
class Theme:
    """The choices of the owner. `color` is #rrggbb; the colors of links are computed from it."""

    color: str = "#0b5c80"
    face: str = "harbour"
    width: str = "normal"
    layout: str = "list"
    scheme: str = "auto"
    css: str = ""

    @classmethod
    def read(cls) -> Theme:
        return cls._of(Setting.read("blog_theme"))

    @classmethod
    def _of(cls, stored: Mapping[str, Any]) -> Theme:
        return cls(**stored["options"], css=stored["css"]) if stored else cls()

    def to_json(self) -> dict[str, Any]:
        """Return the name of the theme, its options, and the custom CSS, as they are stored and exported."""
        options = asdict(self)
        css = options.pop("css")
        return {"name": HARBOUR, "options": options, "css": css}

    @property
    def has_font_files(self) -> bool:
        """Return True if browsers load the typeface from this blog. The others are those of the reader's system."""
        return not FACES[self.face]

    @property
    def link_colors(self) -> tuple[LinkColor, ...]:
        """Return the colors of links on light and on dark pages, or on those that all readers get."""
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        return tuple(self._link_color(scheme) for scheme in schemes if self.scheme in ("auto", scheme))

    def _link_color(self, scheme: Literal["light", "dark"]) -> LinkColor:
        on = partial(backgrounds, scheme)
        if self.color == Theme.color and scheme == "dark":
            shade = color_contrast.parse("#7fc6e2")  # as in the style sheet
        else:
            shade = color_contrast.nearest_readable(color_contrast.parse(self.color), on, MIN_CONTRAST)
        color = color_contrast.write(shade)
        note = ""
        if color != self.color:
            note = f"On {scheme} pages links are shown in {color}, because {self.color} would be hard to read."
        return LinkColor(scheme, color, color_contrast.least_contrast(shade, on(shade)), note)

    @property
    def style(self) -> str:
        """The CSS after the style sheet, or "": the variables, in the layer of their defaults, and the custom CSS."""
        rule = f"@layer base {{ :root {{ {'; '.join(self._variables())} }} }}\n" if any(self._variables()) else ""
        return rule + (f"@layer owner {{\n{self.css}\n}}\n" if self.css else "")

    def _variables(self) -> Iterator[str]:
        """Yield the declarations for everything that is not the default."""
        if self.scheme != "auto":
            yield f"color-scheme: {self.scheme}"
        if self.color != Theme.color:
            light, dark = self._link_color("light"), self._link_color("dark")  # custom CSS may use both
            yield f"--sea: light-dark({light.color}, {dark.color})"
        if face := FACES[self.face]:
            yield from (f"--face: {face}", f"--title-face: {face}")
        if width := WIDTHS[self.width]:
            yield f"--measure: {width}"

    @property
    def summary(self) -> str:
        """Return what is not the default, in one line."""
        options = self.to_json()["options"]
        chosen = [str(value) for name, value in options.items() if value != getattr(Theme, name)]
        return ", ".join((*chosen, "custom CSS") if self.css else chosen) or "default"

    @property
    def version(self) -> str:
        return sha256(self.style.encode()).hexdigest()[:8]


def checked(theme: Theme) -> Theme:
    """Return the theme as it is stored. Raises Invalid with every unknown choice, and the lines of wrong CSS."""
    css = theme.css.replace("\r\n", "\n").replace("\r", "\n")
    tidied = replace(theme, color=theme.color.strip().lower(), css=css)
    if faults := list(_faults(tidied)):  # before empty lines are removed, because faults name lines
        raise Invalid(*faults)
    return replace(tidied, css=css.strip("\n"))


def valid_part(theme: Theme) -> tuple[Theme, tuple[Fault, ...]]:
    """Return the theme with the default in place of each wrong choice and of wrong CSS, and what is wrong."""
    try:
        return checked(theme), ()
    except Invalid as error:
        wrong = {fault.pointer.removeprefix("#/") for fault in error.faults}
        return checked(replace(theme, **{name: getattr(Theme, name) for name in wrong})), tuple(error.faults)


def _faults(theme: Theme) -> Iterator[Fault]:
    try:
        color_contrast.parse(theme.color)
    except ValueError as error:
        yield Fault("#/color", "invalid", str(error))
    for name, known in CHOICES.items():
        if getattr(theme, name) not in known:
            yield Fault(f"#/{name}", "not_one_of", f"Choose one of: {', '.join(known)}.")
    if len(theme.css) > MAX_CSS_LENGTH:
        yield Fault("#/css", "too_long", f"The CSS is too long: at most {MAX_CSS_LENGTH:,} characters.")
    else:
        yield from (Fault("#/css", "invalid", f"Line {line}: {text}") for line, text in css_faults(theme.css))


def save_theme(theme: Theme, now: datetime) -> Theme:
    """Save the theme, and keep the present one as the former. Returns it as it is stored. Raises Invalid."""
    saved, present = checked(theme), Theme.read()
    if saved != present:
        Setting.write("blog_theme", saved.to_json())
        Setting.write("blog_former_theme", {**present.to_json(), "replaced_at": stamp(now)})
        site_changed()
    return saved


class FormerTheme(NamedTuple):
    theme: Theme
    replaced_at: datetime


def former_theme(now: datetime) -> FormerTheme | None:
    """Return the look that the present one replaced, unless that was too long ago."""
    stored = Setting.read("blog_former_theme")
    if not stored or now - parse(stored["replaced_at"]) > FORMER_KEPT_FOR:
        return None
    return FormerTheme(Theme._of(stored), parse(stored["replaced_at"]))


def restore_former_theme(now: datetime) -> Theme:
    """Exchange the present look and the one that it replaced. Raises NotFound if there is none."""
    former = former_theme(now)
    if former is None:
        raise NotFound(f"There is no former look. It is kept for {FORMER_KEPT_FOR.days} days.")
    return save_theme(former.theme, now)


def has_own_theme() -> bool:
    """Return True if an owner or an import has chosen a look."""
    return bool(Setting.read("blog_theme"))
