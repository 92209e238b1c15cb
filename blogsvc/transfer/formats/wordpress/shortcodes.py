"""The shortcodes of WordPress: which words in square brackets are shortcodes, and what their arguments say."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from html import unescape

from blogsvc.lib.html_to_markdown.references import address

# As `shortcode_parse_atts` of WordPress reads them. The first group is the name, and one of the others the value.
_ARGUMENT = re.compile(
    r"""([\w-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"']++))(?=\s|$)|"([^"]*+)"(?=\s|$)|'([^']*+)'(?=\s|$)|(\S++)"""
)
_SPACES = re.compile("[\xa0\u200b]|&nbsp;|&#160;")
# The shortcodes of WordPress, Jetpack and plug-ins that are known to work without a named argument.
_REGISTERED = frozenset(
    "wp_caption caption gallery playlist audio video embed archives bandcamp blip.tv blog_subscription_form contact"
    " contact-form contact-form-7 contact-field dailymotion displayurl facebook flickr getty gist giphy googleapps"
    " googlemaps googlevideo gravatar houzz instagram kickstarter latex lyrics mailchimp_subscriber_popup medium"
    " mixcloud polldaddy portfolio presentation pubsubhubbub quiz recipe recipe-directions recipe-image"
    " recipe-ingredients recipe-notes recipe-nutrition scribd show-testimonials simple-payment sitemap slideshare"
    " slideshow soundcloud spotify ted tweet twitter twitter-timeline ufc untappd-menu upcomingevents videopress vimeo"
    " vine vr wpvideo youtube add_to_cart woocommerce_cart woocommerce_checkout woocommerce_my_account products"
    " gravityform wpforms ninja_form ninja_forms nggallery ngg_images rev_slider metaslider tablepress toc ez-toc"
    " vc_row vc_column vc_column_text et_pb_section et_pb_row et_pb_column mc4wp_form addtoany".split()
)
# Words in square brackets that are usually plain text, not shortcodes.
_COMMON = frozenset("sic note edit edited update optional citation todo".split())
# Shortcodes of plug-ins whose content is a footnote.
FOOTNOTES = ("efn_note", "footnote", "ref", "fn", "mfn")
# The arguments with the words of a button or a link.
_LABELS = ("text", "label", "title", "caption", "button_text", "content")
_TITLED = re.compile(r"tab|accordion|toggle|spoiler|collaps|expand|panel|faq|question|box|step|section", re.IGNORECASE)
_IS_TITLE = re.compile(r"heading|headline|title", re.IGNORECASE)
PLAYERS = {
    "youtube": "https://www.youtube.com/watch?v={}",
    "vimeo": "https://vimeo.com/{}",
    "dailymotion": "https://www.dailymotion.com/video/{}",
    "gist": "https://gist.github.com/{}",
    "ted": "https://www.ted.com/talks/{}",
    "tweet": "https://x.com/i/status/{}",
    "videopress": "https://videopress.com/v/{}",
    "wpvideo": "https://videopress.com/v/{}",
}
_ID = re.compile(r"[\w-]{1,100}")


def is_shortcode(name: str, arguments: str, closed: Collection[str]) -> bool:
    """Return True for a shortcode, and False for words in square brackets, which WordPress shows as they are.

    Args:
        arguments: what is between the name and the bracket.
        closed: the names that have a closing shortcode in this text.
    """
    if name in closed:
        return True
    found = list(_ARGUMENT.finditer(_plain(arguments)))
    is_registered = name in _REGISTERED
    if not is_registered and (name.lower() in _COMMON or not any(one[1] for one in found)):
        return False
    if is_registered and found and re.match(r"https?://", found[0][0]):
        return True
    has_quoted = any(one[1] and one[4] is None for one in found)
    return has_quoted or all(one[1] or one[7] is None or (is_registered and _is_value(one[7])) for one in found)


def _is_value(word: str) -> bool:
    """Return True for an address or an id, False for a word of a sentence."""
    return re.search(r"\d|/|[a-z][A-Z]|^=", unescape(word)) is not None


def arguments_of(text: str) -> dict[str, str]:
    """Return the arguments of a shortcode: named ones by name, the others by position."""
    by_name: dict[str, str] = {}
    position = 0
    for name, *values in _ARGUMENT.findall(_plain(text)):
        bare, word = address(values[2]).strip("\"'”″“"), address(values[5]).strip("\"'")
        values = [address(values[0]), address(values[1]), bare, address(values[3]), address(values[4]), word]
        by_name[name.lower() or str(position)] = next(filter(None, values), "")
        position += not name
    return by_name


def has_title(name: str, *, has_content: bool) -> bool:
    """Return True for a shortcode whose title readers see, such as that of a tab, or which is a title."""
    return ((_TITLED if has_content else _IS_TITLE).search(name)) is not None


def label_of(arguments: Mapping[str, str]) -> str:
    """Return the words that a shortcode shows for its link; "" if its arguments have none."""
    return next((arguments[name] for name in _LABELS if arguments.get(name)), "")


def _plain(arguments: str) -> str:
    """Return arguments with plain spaces, and without the "=" of `[youtube=https://...]`."""
    return _SPACES.sub(" ", arguments).removeprefix("=").strip().removesuffix("/")


def player_address(name: str, arguments: Mapping[str, str], content: str) -> str:
    """Return the address of what a shortcode embeds, by its address or its id, "" if it has none."""
    keys = (arguments.get(key, "") for key in ("0", "id", "url", "src", "v", "video"))
    for key in (*keys, address(content).strip()):
        if re.match(r"https?://", key):
            return key
        if name in PLAYERS and _ID.fullmatch(key):
            return PLAYERS[name].format(key)
    return ""
