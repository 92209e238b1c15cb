"""The theme of the public blog: accent color, font and page width, as variables of its style sheet."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256

from blogsvc.errors import Fault, Invalid
from blogsvc.lib import color_contrast
from blogsvc.models.setting import Setting, site_changed

# The page backgrounds, light and dark: --paper in static/blog.css.
LIGHT, DARK = color_contrast.parse("#fdfcfa"), color_contrast.parse("#11181f")
# The minimum contrast ratio of text and background in WCAG 2.2 AA.
MIN_CONTRAST = 4.5

FONT_FACES = {
    "charter": "",  # the default of the style sheet
    "sans": 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    "antique": '"Iowan Old Style", "Palatino Linotype", "URW Palladio L", P052, serif',
    "typewriter": 'ui-monospace, "Cascadia Code", "Source Code Pro", Menlo, "DejaVu Sans Mono", monospace',
}
PAGE_WIDTHS = {"narrow": "36rem", "normal": "", "wide": "50rem"}


@dataclass(frozen=True)
class Theme:
    """The choices of the owner. `accent` is #rrggbb for light pages; the color for dark pages is computed from it."""

    accent: str = "#006b9f"
    face: str = "charter"
    width: str = "normal"

    @classmethod
    def read(cls) -> Theme:
        return cls(**Setting.read("blog_theme"))

    @property
    def style(self) -> str:
        """The CSS rule that sets the variables, or "" if all have their defaults."""
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
    """Save the theme. Raises Invalid for an unknown choice, or if the accent color has too little contrast."""
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
        advice = f"their contrast is {ratio:.1f} to 1, and at least {MIN_CONTRAST} to 1 is required"
        return Fault(
            "#/accent", "invalid", f"Links in this color would be hard to read: {advice}. Choose a darker color."
        )
    return None


def _one_of(name: str, value: str, known: dict[str, str]) -> Fault | None:
    return None if value in known else Fault(f"#/{name}", "not_one_of", f"Choose one of: {', '.join(known)}.")
