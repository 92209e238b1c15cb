"""Find the footnotes of HTML: marks that are links, and the notes to which they lead."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

from blogsvc.lib.html_to_markdown.tables import is_too_rich
from blogsvc.lib.html_to_markdown.tidying import elements

_WAYS_BACK = frozenset(("↩", "↑", "^", "↵", "⤴", "Back", "[back]", ""))
# "[1] ", "(1) ", "1. ", "* ", but not the "1 " of "1 cup of tea".
_OWN_MARK = re.compile(r"\s*+(?:[\[(](\w{1,9})[\])][.:]?|(\w{1,9})[.:)]|([*†‡§]{1,9}))\s++")
_AFTER_MARK = re.compile(r"\A[.:)\]]?\s++")


def footnotes(soup: BeautifulSoup) -> list[tuple[str, BeautifulSoup]]:
    """Remove the footnotes and return them with their labels. Their references become `noteref` elements."""
    notes: list[tuple[str, BeautifulSoup]] = []
    labels: dict[str, str] = {}
    marks: dict[str, str] = {}  # the text of the first reference of each label
    by_id = {str(tag["id"]): tag for tag in soup.descendants if isinstance(tag, Tag) and tag.has_attr("id")}
    if not by_id:
        return []
    references = [link for link in elements(soup, {"a"}) if _is_mark(link) and _is_reference(link, by_id)]
    # Markdown has no meaning in elements that stay HTML, so the notes of references in these stay, too.
    kept = {id(one) for one in elements(soup, {"dl", "summary", "table"}) if one.name != "table" or is_too_rich(one)}
    in_html = {str(link["href"]) for link in references if any(id(around) in kept for around in link.parents)}
    for link in references:
        if link["href"] in in_html:
            continue
        target = str(link["href"])[1:]
        if target not in labels:
            labels[target] = str(len(labels) + 1)
            marks[labels[target]] = _without_brackets(link.get_text())
        sup = link.find_parent("sup")
        (sup if sup is not None and sup.get_text(strip=True) == link.get_text(strip=True) else link).replace_with(
            soup.new_tag("noteref", attrs={"label": labels[target]})
        )
    for target, label in labels.items():
        note = by_id[target]
        _remove_way_back(note, marks[label])
        holder = note.parent
        notes.append((label, BeautifulSoup(note.decode_contents(), "html.parser")))
        note.decompose()
        _tidy_up(holder)
    return notes


def _remove_way_back(note: Tag, mark: str) -> None:
    """Remove what our pages add to a footnote themselves: the link back to its mark, and the mark at its beginning."""
    for back in note.find_all("a", href=re.compile("^#")):
        words = re.sub(r"[\s\ufe0e\ufe0f]", "", back.get_text())
        if is_mark := words not in _WAYS_BACK and _without_brackets(words) == mark:
            after = back.next_sibling
            if isinstance(after, NavigableString):
                after.replace_with(_AFTER_MARK.sub("", after))
        if is_mark or words in _WAYS_BACK:
            back.decompose()
    first = next((text for text in note.find_all(string=True) if text.strip()), None)
    if first is None or note.name == "li":  # the list has the numbers
        return
    if first.parent is not None and first.parent.name == "sup" and _without_brackets(first) == mark:
        first.parent.decompose()
    elif (own := _OWN_MARK.match(first)) and mark in own.groups():
        first.replace_with(first[own.end() :])


def _without_brackets(mark: str) -> str:
    return mark.strip().strip("[]().:")


def _is_mark(link: Tag) -> bool:
    """Return True if a link looks like the mark of a footnote."""
    if link.find_parent("sup") is not None or {"footnote", "footnote-ref"} & set(link.get("class") or ()):
        return True
    raised = link.find("sup", recursive=False)
    return raised is not None and link.get_text(strip=True) == raised.get_text(strip=True)


def _is_reference(link: Tag, by_id: dict[str, Tag]) -> bool:
    href = str(link.get("href"))
    note = by_id.get(href[1:]) if href.startswith("#") else None
    return note is not None and note.name in ("li", "p", "div", "aside") and note not in list(link.parents)


def _tidy_up(holder: Tag | None) -> None:
    """Remove the elements around the footnotes if they are empty, and the horizontal rule above them."""
    while holder is not None and holder.name != "[document]" and next(holder.stripped_strings, None) is None:
        if holder.find("img") is not None:
            return
        parent, before = holder.parent, holder.find_previous_sibling()
        if before is not None and before.name == "hr":
            before.decompose()
        holder.decompose()
        holder = parent
