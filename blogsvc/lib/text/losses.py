"""Compare a text as it was sent with the same text as a platform shows it, and name what is missing.

What platforms change without harm is not a loss: typographic quotes and dashes, the URLs of images, tracking parameters
and wrappers of links, added classes, and everything around the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from blogsvc.errors import TextRefused
from blogsvc.lib.text.elements import URL, Block, Element, Elements, Word

MAX_LENGTH = 2 * 1024 * 1024  # characters of each side
MAX_WORDS_NAMED = 6
MAX_LABEL = 60  # characters
# The plural of each kind of element, and how one that readers see differently is changed.
ELEMENTS: dict[str, tuple[str, str]] = {
    "heading": ("headings", "with another level"),
    "list item": ("list items", "in another place"),
    "step of a numbered list": ("steps of a numbered list", "with another number or level"),
    "code block": ("code blocks", "with other characters or spaces"),
    "inline code": ("pieces of inline code", "with other characters or spaces"),
    "table": ("tables", "with other rows or columns"),
    "image": ("images", ""),
    "image description": ("image descriptions", ""),
    "link": ("links", "with another target"),
    "footnote number": ("footnote numbers", ""),
    "link back from a note": ("links back from notes", ""),
    "link within the text": ("links within the text", ""),
    "audio player": ("audio players", ""),
    "embedded page": ("embedded pages", ""),
    "video player": ("video players", ""),
    "separator line": ("separator lines", ""),
    "line break": ("line breaks", ""),
}
ORDER = "order"
WORDS = "words"
# Kinds of losses that any text can suffer.
NOT_ELEMENTS = frozenset({ORDER, WORDS})
# A quotation is as good as a callout: that is how callouts are sent to platforms without them.
SUBSTITUTES = {"callout formatting": ("quotation formatting", "nested quotation formatting")}
# Links that have no target to compare: they count if they lead to an element of the text.
INTERNAL = ("footnote number", "link back from a note", "link within the text")

Part = tuple[str, str]


class Loss(NamedTuple):
    """Something that readers miss: its kind, and a sentence about it."""

    kind: str
    text: str


class Comparison(NamedTuple):
    """What is missing, and all kinds of elements in the text that was sent."""

    losses: list[Loss]
    kinds: list[str]


def compare(sent: Sequence[Part], shown: Sequence[Part]) -> Comparison:
    """Compare the parts of a text: form (title, text, markdown, html or link) and content.

    A title is compared only if the platform shows it as one. Raises TextRefused.
    """
    is_titled = any(form == "title" for form, _ in shown)
    expected = reduced(part for part in sent if is_titled or part[0] != "title")
    return Comparison(losses(expected, reduced(shown)), sorted(expected.kinds))


def kinds(parts: Sequence[Part]) -> list[str]:
    """Return the kinds of elements in a text. Raises TextRefused."""
    return sorted(reduced(parts).kinds)


def reduced(parts: Iterable[Part]) -> Elements:
    """Return the words and elements of all parts together. Raises TextRefused."""
    from blogsvc.lib.text.reader import elements_of  # with its libraries, only where texts are compared

    return elements_of("\n".join(f"<div>{_html(form, text)}</div>" for form, text in parts))


def _html(form: str, text: str) -> str:
    if len(text) > MAX_LENGTH:
        raise TextRefused("The text is too long to compare.")
    match form:
        case "html":
            return text
        case "markdown":
            from blogsvc.lib.markdown.render import render

            return render(text)
        case "link":
            return f'<a href="{escape(text)}"></a>'
    return URL.sub(lambda url: f'<a href="{url[0]}">{url[0]}</a>', escape(text))


def losses(sent: Elements, shown: Elements) -> list[Loss]:
    """Return what was sent and is not shown, most important first."""
    missing = _missing_words(sent.words, [*(word.key for word in shown.words), *shown.spare])
    gone = Counter(word.key for word in missing)
    order = list(_order(sent.blocks, shown.blocks))
    is_disordered = any(loss.text.startswith("The steps") for loss in order)
    return [
        *_word_losses(missing, sent.words),
        *order,
        *_element_losses(sent.elements, shown, gone, {"step of a numbered list"} if is_disordered else ()),
        *_format_losses(sent.formats, shown.formats, gone),
    ]


def _missing_words(sent: Iterable[Word], shown: Iterable[str]) -> list[Word]:
    left = Counter(shown)
    missing = []
    for word in sent:
        if left[word.key]:
            left[word.key] -= 1
        else:
            missing.append(word)
    return missing


def _word_losses(missing: Sequence[Word], sent: Sequence[Word]) -> Iterator[Loss]:
    if not missing:
        return
    if len(missing) == len(sent):
        yield Loss(WORDS, "The whole text is missing.")
    elif len(missing) == 1:
        yield Loss(WORDS, f"The word “{_short(missing[0].text)}” is missing.")
    else:
        yield Loss(WORDS, f"{len(missing)} of {len(sent)} words are missing: {_quoted(missing)}.")


def _quoted(words: Sequence[Word]) -> str:
    """Return the first words in quotation marks, and how many follow."""
    more = len(words) - MAX_WORDS_NAMED
    named = _short(" ".join(word.text for word in words[:MAX_WORDS_NAMED]))
    return f"“{named}”" + (f" and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_LABEL else line[: MAX_LABEL - 1].rstrip() + "…"


def _order(sent: Sequence[Block], shown: Sequence[Block]) -> Iterator[Loss]:
    """Yield a loss if blocks that are unique on both sides follow each other in another order."""
    sent_count = Counter(block.words for block in sent)
    shown_count = Counter(block.words for block in shown)
    place = {block.words: index for index, block in enumerate(shown)}
    common = [block for block in sent if sent_count[block.words] == shown_count[block.words] == 1]
    moved = [pair for pair in pairwise(common) if place[pair[0].words] > place[pair[1].words]]
    if not moved:
        return
    if all(block.is_step for pair in moved for block in pair):
        yield Loss(ORDER, "The steps of a numbered list are in another order.")
    else:
        yield Loss(ORDER, "Parts of the text are in another order.")


def _element_losses(
    sent: Sequence[Element], shown: Elements, gone: Counter[str], but: Collection[str]
) -> Iterator[Loss]:
    shown_words = {word.key for word in shown.words}
    for kind, (plural, change) in ELEMENTS.items():
        sent_elements = [element for element in sent if element.kind == kind]
        if not sent_elements or kind in but:
            continue
        shown_elements = [
            element for element in shown.elements if element.kind == kind or {element.kind, kind} <= {*INTERNAL}
        ]
        missing = _missing_elements(sent_elements, shown_elements)
        if kind == "link":
            missing = [link for link in missing if not _is_wrapped(str(link.key), shown_elements)]
        if kind == "image description":  # that of a missing image is not worth a sentence of its own
            missing = missing[_missing_images(sent, shown.elements) :]
        same_words = {element.words for element in shown_elements if element.words}
        changed = [one for one in missing if change and one.words in same_words]
        rest = [one for one in missing if one not in changed]
        plain = [one for one in rest if one.words and shown_words.issuperset(one.words)]
        yield from _loss(kind, plural, f"shown {change}", changed, len(sent_elements))
        yield from _loss(kind, plural, "shown as plain text", plain, len(sent_elements))
        yield from _loss(kind, plural, "missing", [one for one in rest if one not in plain], len(sent_elements))


def _missing_elements(sent: Iterable[Element], shown: Iterable[Element]) -> list[Element]:
    left = Counter(element.key for element in shown)
    missing = []
    for element in sent:
        if left[element.key]:
            left[element.key] -= 1
        else:
            missing.append(element)
    return missing


def _missing_images(sent: Iterable[Element], shown: Iterable[Element]) -> int:
    count = [sum(element.kind == "image" for element in side) for side in (sent, shown)]
    return max(0, count[0] - count[1])


def _is_wrapped(target: str, links: Iterable[Element]) -> bool:
    """Return True if a link leads to a page that forwards to the target, which is in its URL."""
    return any(target and target in str(link.key) for link in links)


def _loss(kind: str, plural: str, how: str, missing: Sequence[Element], count: int) -> Iterator[Loss]:
    if not missing:
        return
    if len(missing) == 1:
        one = missing[0]
        name = f"{kind} “{_short(one.label)}”" if one.label else kind
        which = f"The {name}" if count == 1 or one.label else f"1 of {count} {plural}"
        yield Loss(kind, f"{which} is {how}.")
    else:
        which = f"All {count}" if len(missing) == count else f"{len(missing)} of {count}"
        yield Loss(kind, f"{which} {plural} are {how}.")


def _format_losses(sent: dict[str, list[Word]], shown: dict[str, list[Word]], gone: Counter[str]) -> Iterator[Loss]:
    """Yield a loss for each formatting that words have lost. Words that are gone are told before."""
    for name, words in sent.items():
        shown_words = [word.key for one in (name, *SUBSTITUTES.get(name, ())) for word in shown.get(one, ())]
        left = Counter(gone)
        missing = []
        for word in _missing_words(words, shown_words):
            if left[word.key]:
                left[word.key] -= 1
            else:
                missing.append(word)
        if missing:
            yield Loss(name, f"{_quoted(missing)} {'is' if len(missing) == 1 else 'are'} shown without {name}.")
