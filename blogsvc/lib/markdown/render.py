"""Render Markdown to sanitised HTML."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote.index import render_footnote_ref
from mdit_py_plugins.gfm import gfm_plugin
from mdit_py_plugins.gfm_autolink.index import _protocol_rule

from blogsvc.lib.markdown import callouts, contents, figures, galleries, limits, typography
from blogsvc.lib.markdown.code_blocks import PRE, code_block, fence_renderer, indented_code
from blogsvc.lib.markdown.contents import text_of
from blogsvc.lib.markdown.sanitiser import sanitised

# Limits for hostile text, with those of `limits.py`. Beyond them text is shown without markup, and too deep
# nesting is left out.
LINES = 50_000  # 1 MiB of "a|b" would take a gigabyte of tokens
NESTING = 50  # of blocks; a list in a list counts as two
_CELLS = 30_000  # of all tables; short rows are filled up, so two characters can create a thousand cells
RAW_TAGS = 3_000  # unclosed raw elements, all of which the sanitiser checks at each tag
_PLAIN_BEFORE_ADDRESS = 4 * 1024  # characters without markup, all of which are searched at each colon

_H1 = re.compile(r"(</?)h1(?=[\s/>])", re.IGNORECASE)
_NAME = re.compile(r"(<a\s++)name(?=\s*+=)", re.IGNORECASE)  # the anchors of old HTML
_NAV = re.compile(r"(</?)nav(?=[\s/>])", re.IGNORECASE)  # the table of contents is the only one in a text
# Opening tags of raw HTML, except elements that are empty or close their predecessor.
_OPENING = re.compile(r"<(?!(?:br|col|dd|dt|hr|img|input|li|p|td|th|tr|wbr)[\s/>])[a-z]", re.IGNORECASE)
# A tag at the start of a line starts a block of raw HTML, in which text is not in a paragraph.
_EMBED = re.compile(r"(?P<line>^[ ]*)?(?P<tag><iframe\b[^<>]*>)(?:[^<]*</iframe\s*>)?", re.IGNORECASE | re.MULTILINE)
# Attributes that these elements always have. The sanitiser would add them in random order.
_ALWAYS = {
    "img": 'loading="lazy" decoding="async"',
    "input": "disabled",
    "pre": PRE,
}
_ALWAYS_HAS = re.compile(r"<(img|input|pre)(?=[\s/>])", re.IGNORECASE)


def render(text: str, language: str = "en") -> str:
    """Render Markdown, which may contain HTML, to safe HTML in linear time.

    Args:
        language: the one of the text (BCP 47), whose quotation marks replace straight ones; "" to keep all characters
            as they were typed.

    Raises TextRefused if the HTML would be far larger than the text.
    """
    text = normalised(text)
    if text.count("\n") > LINES:
        return sanitised(code_block(escape(text)))
    parser, env = (
        _parser(language),
        environment(text),
    )  # a new parser for each call (0.25 ms), so that threads share nothing
    tokens = parser.parse(text, env)
    limits.require_closed(tokens, len(text))
    html = parser.renderer.render(tokens, parser.options, env)
    return limits.require_moderate(sanitised(html), text)


def normalised(text: str) -> str:
    """Return the text with "\\n" line endings and without characters that the parser rejects."""
    text = text.encode(errors="replace").decode()  # nh3 rejects lone surrogates
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def environment(text: str) -> dict[str, Any]:
    """Return the state that a parser keeps for one text."""
    return {"references": _References(len(text))}


def grammar(parser: MarkdownIt) -> MarkdownIt:
    """Add our Markdown extensions and limits to a parser of the preset "commonmark", for one text only."""
    parser.options["html"], parser.options["maxNesting"] = True, NESTING
    parser.use(gfm_plugin)
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.at("gfm_autolink_protocol", _autolink)
    figures.add_widths(parser)
    galleries.add_galleries(parser)
    parser.core.ruler.after("block", "callouts", callouts.find_callouts)
    limits.limit_blocks(parser)
    return parser


def _parser(language: str) -> MarkdownIt:
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.before("text_join", "galleries", galleries.show_galleries)
    parser.core.ruler.before("text_join", "figures", figures.show_figures)
    parser.core.ruler.before("text_join", "names", contents.note_names)
    if language:
        typography.add_typography(parser, language)
    parser.core.ruler.push("raw_html", _limit_raw_html)
    parser.core.ruler.push("headings", contents.add_heading_ids)
    parser.core.ruler.push("contents", contents.show_contents)
    parser.core.ruler.push("alignment", _align_cells)
    parser.add_render_rule("list_item_open", _list_item)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("code_block", indented_code)
    parser.add_render_rule("fence", fence_renderer())
    parser.add_render_rule("footnote_caption", _footnote_number)
    parser.add_render_rule("footnote_ref", _footnote_mark)
    return parser


class _References(dict[str, Any]):
    """Link references with a limit on the total length, as in cmark, since a long URL can be used many times."""

    def __init__(self, length: int) -> None:
        self._left = length + 100_000  # in characters

    def get(self, label: str, default: Any = None) -> Any:
        reference = super().get(label)
        if reference is None:
            return default
        self._left -= len(reference["href"]) + len(reference["title"])
        return reference if self._left > 0 else default


def _autolink(state: StateInline, silent: bool) -> bool:
    # The rule searches all preceding text at each colon, so check first if a URL is possible.
    likely = state.pending.endswith(("http", "https", "mailto", "xmpp"))
    return likely and len(state.pending) <= _PLAIN_BEFORE_ADDRESS and _protocol_rule(state, silent)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    cells = state.env.setdefault("cells", 0)
    before = len(state.tokens)
    found = cells < _CELLS and table(state, start, end, silent)
    state.env["cells"] = cells + (len(state.tokens) - before) // 3
    return found


def _limit_raw_html(state: StateCore) -> None:
    """Add our attributes to raw HTML. Beyond the limit, show it as text."""
    opened = 0
    for token in state.tokens:
        for raw in (token, *(token.children or ())):
            if raw.type in ("html_block", "html_inline"):
                raw.content = _NAME.sub(r"\1id", raw.content)
                raw.content = _ALWAYS_HAS.sub(_with_attributes, _NAV.sub(r"\1div", _H1.sub(r"\1h2", raw.content)))
                raw.content = _EMBED.sub(_embed_block if raw.type == "html_block" else _embed_link, raw.content)
                opened += opening_tags(raw.content)
                raw.type = raw.type if opened <= RAW_TAGS else "text"


def _embed_link(tag: re.Match[str]) -> str:
    """Return a link to an embedded page, which our pages don't load. The class lets connectors say that it is one."""
    from blogsvc.lib.markdown.raw_html import safe_tag  # which needs the grammar of this module

    return safe_tag(tag["tag"]).replace("<a ", '<a class="embed" ', 1)


def _embed_block(tag: re.Match[str]) -> str:
    link = _embed_link(tag)
    return f"<p>{link}</p>" if tag["line"] is not None and link else link


def opening_tags(raw: str) -> int:
    """Return the maximum number of elements that raw HTML may leave open."""
    return len(_OPENING.findall(raw))


def _with_attributes(opening: re.Match[str]) -> str:
    return f"{opening[0]} {_ALWAYS[opening[1].lower()]}"


def _align_cells(state: StateCore) -> None:
    # An attribute instead of a style, because our CSP forbids styles and feed readers do not know our classes.
    for token in state.tokens:
        if token.type in ("th_open", "td_open") and "style" in token.attrs:
            token.attrs["align"] = str(token.attrs.pop("style")).removeprefix("text-align:")


def _list_item(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    html = RendererHTML.list_item_open(renderer, tokens, index, options, env)
    if "checked" not in tokens[index].meta:
        return html
    inline = tokens[index + 2] if index + 2 < len(tokens) else None
    label = text_of(inline)[:100].strip() if inline and inline.type == "inline" else ""
    return html.replace("<input", f'<input aria-label="{escape(label or "Task")}"')


def _footnote_number(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return str(tokens[index].meta["id"] + 1)


def _footnote_mark(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    mark = str(render_footnote_ref(renderer, tokens, index, options, env))
    # A narrow space between two marks, so that 1 and 2 don't read as 12.
    follows_another = index > 0 and tokens[index - 1].type == "footnote_ref"
    return mark.replace("<a ", "\u202f<a ", 1) if follows_another else mark


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    html = RendererHTML.image(renderer, tokens, index, options, env)
    return _ALWAYS_HAS.sub(_with_attributes, html, count=1)
