"""What the tags of Jekyll, Octopress, Hexo and Hugo show, as Markdown: images, links to posts, players, quotations.

Sources: https://hexo.io/docs/tag-plugins, https://gohugo.io/content-management/shortcodes/, the plug-ins of Octopress.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from blogsvc.lib.markdown import writer
from blogsvc.transfer.formats.sites.archive_posts import PostsBeside
from blogsvc.transfer.formats.tags import arguments as tag_arguments

_PLAYERS = {
    "youtube": "https://www.youtube.com/watch?v={}",
    "vimeo": "https://vimeo.com/{}",
    "gist": "https://gist.github.com/{}",
    "tweet": "https://x.com/i/status/{}",
    "x": "https://x.com/i/status/{}",
    "instagram": "https://www.instagram.com/p/{}/",
}
_IMAGES = ("img", "image", "asset_img", "asset_image")
_IS_IMAGE = re.compile(r"[^<>?#]{1,1000}\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]\S{0,500}+)?", re.IGNORECASE)
_NAMES_IMAGE = re.compile(r"image|img|figure|picture|photo", re.IGNORECASE)
_IMAGE_KEYS = ("src", "url", "image", "image_path", "img", "file", "path", "0", "1")
_NUMBER = re.compile(r"\d{1,5}(?:px|%)?")
_IN_QUOTES = re.compile(r"""\"([^"]*+)\"|'([^']*+)'""")
_AFTER_FIRST = re.compile(r"""\s*+(?:"[^"]*+"|'[^']*+')\s*+,""")
_ADDRESS = re.compile(r"https?://[^\s<>]++", re.IGNORECASE)


@dataclass(frozen=True)
class Shown:
    """Markdown for a tag, and what it is now if that is not what the tag showed.

    A figure is a block of its own. What is `alone` is one where it stands alone in its line.
    """

    markdown: str
    became: str = ""
    is_figure: bool = False
    is_alone: bool = False


def shown_by(name: str, text: str, posts: PostsBeside, *, in_address: bool) -> Shown | None:
    """Return what a tag shows; None if that is unknown.

    Args:
        text: its arguments.
        posts: those that tags name.
        in_address: The tag is in the address of a link, which leads to the post when all posts are imported.
    """
    arguments = _named_of_eleventy(name, text)
    first = arguments.get("0", "")
    if name == "figure" and (src := arguments.get("src") or first):
        return Shown(_figure(src, arguments), is_figure=True)
    if name in _IMAGES and all(map(str.isdigit, tag_arguments.by_name(text))) and (image := _image(text)):
        return Shown(image)
    if name in ("post_link", "asset_link") and first:
        return Shown(_link(name, text, posts))
    words = tag_arguments.in_order(text)
    if name in ("link", "a", "anchor") and (url := next(filter(_is_address, words), "")):
        label = " ".join(words[: words.index(url)]) or url
        return Shown(f"[{writer.escape(label, starts_line=False, within='link')}]({url})")
    if name in ("ref", "relref", "post_url", "post_path", "link") and (reference := first or arguments.get("path")):
        language = arguments.get("lang", "")
        return Shown((posts.address_of if in_address else posts.path_of)(reference, language))
    if name in ("asset_path", "url_for", "full_url_for") and first:
        return Shown(first.replace(" ", "%20"))
    if name in _PLAYERS and (key := arguments.get("id") or arguments.get("user", first)):
        key = "/".join(filter(None, (first, arguments.get("1", "")))) if name == "gist" else key
        url = key if key.startswith("http") else _PLAYERS[name].format(key)
        return Shown(f"[{name.capitalize()}]({url})", f"The content embedded with {name} is a link now.", is_alone=True)
    if _NAMES_IMAGE.search(f"{name} {first}"):
        for src in (arguments.get(key, "") for key in _IMAGE_KEYS):
            if _IS_IMAGE.fullmatch(src):
                return Shown(_figure(src, arguments), "The template command {} is an image now.", is_figure=True)
    if addresses := list(dict.fromkeys(value for value in arguments.values() if _is_address(value))):
        links = " ".join(f"<{address}>" for address in addresses)
        return Shown(links, "The template command {} is a link now.", is_alone=True)
    return None


def _named_of_eleventy(name: str, text: str) -> Mapping[str, str]:
    """Return the arguments of a tag by name or position. Eleventy has the alternative second, after a comma."""
    arguments = tag_arguments.by_name(text)
    if "1" not in arguments or not _IS_IMAGE.fullmatch(arguments["0"]) or not _AFTER_FIRST.match(text):
        return arguments
    words = {"alt": arguments["1"]} | ({"caption": arguments.get("2", "")} if name == "figure" else {})
    return {**words, **arguments}


def cited_by(text: str) -> str:
    """Return the words below a quotation, from the arguments of its tag: the author, the source and a link."""
    text = " ".join(text.split())
    if address := _ADDRESS.search(text):
        author, title = text[: address.start()], text[address.end() :].strip() or address[0]
        link = f"[{writer.escape(title, starts_line=False, within='link')}]({address[0]})"
    else:
        author, _, title = text.partition(",")
        link = f"*{writer.escape(title.strip(), starts_line=False)}*" if title.strip() else ""
    author = author.strip("\"' ")
    by = f"**{writer.escape(author, starts_line=False)}**" if author else ""
    return ", ".join(filter(None, (by, link)))


def _figure(src: str, arguments: Mapping[str, str]) -> str:
    """Return an image with the caption, the title and the credit of Hugo's figure."""
    title, caption, credit = (arguments.get(name, "").strip() for name in ("title", "caption", "attr"))
    caption = caption or arguments.get("description", "").strip()
    alt = writer.alt_text(arguments.get("alt", "")) or re.sub(r"[\[\]\\\n]", " ", caption or title).strip()
    image = f"![{alt}]({src.replace(' ', '%20')})"
    if link := arguments.get("link", "").replace(" ", "%20"):
        image = f"[{image}]({link})"
    if author := arguments.get("attrlink", "").replace(" ", "%20"):
        credit = f"[{credit or author}]({author})"
    words = " ".join(filter(None, (f"**{title}**" if title else "", f"*{caption}*" if caption else "", credit)))
    return f"{image}\n\n{words}" if words else image


def _image(text: str) -> str:
    """Return the image of a tag of Octopress or Hexo: classes, the address, the size, the title and the alternative.

    That of Eleventy has commas between its arguments.
    """
    found = tag_arguments.with_ends(text)
    number = next(
        (n for n, (word, _) in enumerate(found) if word.startswith(("/", "http")) or _IS_IMAGE.match(word)), 0
    )
    if not found:
        return ""
    src, end = found[number]
    if text[end:].lstrip().startswith(","):  # as eleventy-img has them: the address, the alternative, sizes
        return f"![{writer.alt_text(found[number + 1][0])}]({src.replace(' ', '%20')})" if found[number + 1 :] else ""
    for word, word_end in found[number + 1 : number + 3]:
        if not _NUMBER.fullmatch(word):
            break
        end = word_end
    words = text[end:].strip()
    if words[:1] == words[-1:] == "'" and '"' in words and "'" not in words[1:-1]:
        words = words[1:-1]
    quoted = [one[1] or one[2] or "" for one in _IN_QUOTES.finditer(words)] if words[:1] in ("'", '"') else [words]
    title, alt = (*quoted, "", "")[:2]
    titled = f" {writer.title(title)}" if alt and title and title != alt else ""
    return f"![{writer.alt_text(alt or title)}]({src.replace(' ', '%20')}{titled})"


def _link(name: str, text: str, posts: PostsBeside) -> str:
    """Return the link of Hexo to a post, or to a file beside the post."""
    target, *words = tag_arguments.in_order(text)
    if words and words[-1] in ("true", "false"):
        del words[-1]
    address = posts.path_of(target) if name == "post_link" else target
    label = " ".join(words) or (posts.title_of(target) if name == "post_link" else "") or target
    return f"[{writer.escape(label, starts_line=False, within='link')}]({address.replace(' ', '%20')})"


def _is_address(value: str) -> bool:
    return _ADDRESS.fullmatch(value) is not None
