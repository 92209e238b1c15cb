"""Cut Harbour's three fonts from npm @fontsource-variable/source-serif-4 (OFL-1.1).

Usage: build.py DIRECTORY_OF_FONTSOURCE_FILES [SUBSET ...]   needs fonttools and brotli.
The OFL reserves the name "Source" for unmodified files, so the results get a name of their own.
"""

import io
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

CUTS = {
    "text": ("opsz-normal", {"wght": (400, 400, 700), "opsz": 15}, "Harbour Serif", "Regular"),
    "italic": ("opsz-italic", {"wght": 400, "opsz": 15}, "Harbour Serif", "Italic"),
    "display": ("opsz-normal", {"wght": 530, "opsz": 44}, "Harbour Display", "Regular"),
}


def cut(source, limits, family, style, target):
    font = instancer.instantiateVariableFont(TTFont(source), limits)
    font.flavor = None
    font.save(buffer := io.BytesIO())
    buffer.seek(0)
    font = TTFont(buffer)
    options = subset.Options(layout_features=["kern", "liga", "locl", "ccmp", "mark", "mkmk", "tnum"])
    options.drop_tables += ["DSIG"]
    options.hinting = False
    maker = subset.Subsetter(options)
    maker.populate(unicodes=sorted(font.getBestCmap()))
    maker.subset(font)
    names = font["name"]
    plain = family.replace(" ", "")
    new = {1: family, 2: style, 3: f"{plain}-{style}", 4: f"{family} {style}", 6: f"{plain}-{style}"}
    names.names = [n for n in names.names if n.nameID in (0, 5, 13, 14, *new)]
    for number, value in new.items():
        names.setName(value, number, 3, 1, 0x409)
    if "STAT" in font:
        del font["STAT"]
    font.flavor = "woff2"
    font.save(target)
    print(target.name, target.stat().st_size)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for part in sys.argv[2:] or ["latin"]:
        for name, (kind, limits, family, style) in CUTS.items():
            target = Path(__file__).parent / f"harbour-{name}-{part}.woff2"
            cut(folder / f"source-serif-4-{part}-{kind}.woff2", limits, family, style, target)
