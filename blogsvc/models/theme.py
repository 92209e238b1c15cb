"""The look of the public blog, as far as its owner may change it: a few variables of its style sheet."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256

from blogsvc.errors import Fault, Invalid
from blogsvc.lib import color_contrast
from blogsvc.models.setting import Setting, site_changed

# What links stand out from: --paper of static/blog.css, light and dark.
LIGHT, DARK = color_contrast.parse("#fbfdfe"), color_contrast.parse("#11151b")
# Of text on its ground, WCAG 2.2 AA.
MIN_CONTRAST = 4.5

FONT_FACES = {
    "charter": "",  # the style sheet's own
    "sans": 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    "antique": '"Iowan Old Style", "Palatino Linotype", "URW Palladio L", P052, serif',
    "typewriter": 'ui-monospace, "Cascadia Code", "Source Code Pro", Menlo, "DejaVu Sans Mono", monospace',
}
PAGE_WIDTHS = {"narrow": "36rem", "normal": "", "wide": "50rem"}


@dataclass(frozen=True)
class Theme:
    """`accent` is #rrggbb for light pages; the one for dark pages follows from it."""

    accent: str = "#006b9f"
    face: str = "charter"
    width: str = "normal"

    @classmethod
    def read(cls) -> Theme:
        return cls(**Setting.read("blog_theme"))

    @property
    def style(self) -> str:
        """The variables it sets, as CSS; "" where all are the style sheet's own."""
        variables = {"--text": FONT_FACES[self.face], "--measure": PAGE_WIDTHS[self.width]}
        if self.accent != Theme.accent:
            dark = color_contrast.write(
                color_contrast.towards_white(color_contrast.parse(self.accent), DARK, MIN_CONTRAST)
            )
            both = f"light-dark({self.accent}, {dark})"
            variables |= {"--blue": both, "--blue-line": f"color-mix(in oklab, {both} 70%, var(--paper))"}
        wanted = [f"{name}: {value}" for name, value in variables.items() if value]
        return f":root {{ {'; '.join(wanted)} }}\n" if wanted else ""

    @property
    def version(self) -> str:
        return sha256(self.style.encode()).hexdigest()[:8]


def save_theme(theme: Theme) -> None:
    """Give the blog this look. Raises Invalid for one that could not be read, or that there is not."""
    faults = [fault for fault in (_accent(theme.accent), _one_of("face", theme.face, FONT_FACES)) if fault]
    faults += [fault for fault in (_one_of("width", theme.width, PAGE_WIDTHS),) if fault]
    if faults:
        raise Invalid(*faults)
    if theme != Theme.read():
        Setting.write("blog_theme", asdict(theme))
        site_changed()


def _accent(accent: str) -> Fault | None:
    try:
        ratio = color_contrast.contrast(color_contrast.parse(accent), LIGHT)
    except ValueError as error:
        return Fault("#/accent", "invalid", str(error))
    if ratio < MIN_CONTRAST:
        advice = f"it stands out by {ratio:.1f} to 1, and {MIN_CONTRAST} is needed"
        return Fault("#/accent", "invalid", f"Links in this colour could not be read: {advice}. Choose a darker one.")
    return None


def _one_of(name: str, value: str, known: dict[str, str]) -> Fault | None:
    return None if value in known else Fault(f"#/{name}", "not_one_of", f"Choose one of: {', '.join(known)}.")
