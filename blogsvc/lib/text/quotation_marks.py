"""The quotation marks of languages."""

from __future__ import annotations

from collections.abc import Sequence

ENGLISH = "“”‘’"
# Opening and closing marks, and those of quotations within quotations: CLDR 48.2, `delimiters.json`. Languages that are
# missing use the English ones, also those whose outer marks are single in CLDR, because their authors type double ones.
_MARKS = {
    "«»“”": "ast blo bm br ca cv dyo el es-US eu ewo ie it kab kk lij mg mua nnh pms pt-AO pt-CH pt-CV pt-GQ pt-GW"
    " pt-LU pt-MO pt-MZ pt-PT pt-ST pt-TL sc sg ti",
    "„“‚‘": "bs-Cyrl cs de dsb et hr hsb is ksh lb luy mk nds sk sl",
    "«»‹›": "am az-Arab az-Cyrl fa fr-CH gsw jgo kkj mzn rm sdh wae",
    "«»„“": "bas be bua ky os ru sah tyv uk",
    "””’’": "fi he lag rn se sn sv yi",
    "«»‘’": "dua el-polyton ksf nb nn no rw",
    "「」『』": "ja yue zh-HK zh-Hant zh-MO zh-TW",
    "”“’‘": "ar lld ms-Arab syr ur",
    "«»«»": "fr ht hy oc yav",
    "„“„“": "bg lt prg sgs",
    "„”«»": "nmg pl ro",
    "„”‚’": "agq ff",
    "„”»«": "hu szl",
    "»«›‹": "kk-Arab ug",
    "«»„”": "shi zgh",
    "«»”“": "fr-CA",
    "„”‘’": "bs",
    "“”«»": "eo",
    "„“«»": "ka",
    "„”’’": "sr",
    "“”“”": "tk",
    "“”’‘": "uz",
    ENGLISH: "bm-Nkoo ff-Adlm uz-Arab uz-Cyrl",
}
_BY_TAG = {tag.lower(): marks for marks, tags in _MARKS.items() for tag in tags.split()}
_THIN = "\u202f"  # French has a narrow space within its marks, which CLDR leaves out; Swiss French has none


def quotation_marks(language: str) -> Sequence[str]:
    """Return the outer opening and closing marks of a language (BCP 47), and those within other quotations."""
    parts = language.lower().split("-")
    tags = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    marks = next((_BY_TAG[tag] for tag in tags if tag in _BY_TAG), ENGLISH)
    if parts[0] == "fr" and "ch" not in parts:
        return [mark + _THIN if mark == "«" else _THIN + mark if mark == "»" else mark for mark in marks]
    return marks
