"""The platforms by hand, as a table: what a copy looks like there, and how a person makes, changes and deletes it.

Limits and addresses are those of 2026-11-26. Nobody has to be asked before a person posts, so a change of an
address costs a click: the editor opens empty. The address can be changed in the settings of the destination.
"""

from __future__ import annotations

from blogsvc.connectors.by_hand.connector import ByHand
from blogsvc.connectors.types import Limit

CHECKED = "2026-11-26"


class Medium(ByHand):
    key, label, checked_on = "medium", "Medium", CHECKED
    about = "Articles on Medium, by hand, with a link to the original."
    form, noun = "article", "story"
    why = "Medium has no API for new accounts."
    limits = (Limit("title", 100, "characters"), Limit("tags", 5, "items"))
    editor, importer = "https://medium.com/new-story", "https://medium.com/p/import"
    finish = (
        "Paste the text, add the images, then publish. "
        "In Story settings, Advanced settings, enter the original link as the canonical link."
    )
    how_to_delete = "Open its menu, then Delete story."
    hosts, link_example = ("medium.com",), "https://medium.com/@you/"


class Substack(ByHand):
    key, label, checked_on = "substack", "Substack", CHECKED
    about = "Articles on Substack, by hand. The text is copied with its formatting."
    form = "article"
    why = "Substack has no API for publishing."
    editor = "https://substack.com/publish/post"
    finish = "Paste the text, add the images, then publish. Choose there whether subscribers get an e-mail."
    hosts, link_example = ("substack.com",), "https://you.substack.com/p/"


class Hashnode(ByHand):
    key, label, checked_on = "hashnode", "Hashnode", CHECKED
    about = "Articles on Hashnode, by hand, with a link to the original."
    form, noun = "article", "article"
    why = "The API of Hashnode needs a Pro plan."
    limits = (Limit("tags", 5, "items"),)
    editor = "https://hashnode.com/draft"
    finish = "Paste the text, add the images, then publish. In the article settings, enter the original link."
    hosts, link_example = ("hashnode.dev", "hashnode.com"), "https://you.hashnode.dev/"


class Tumblr(ByHand):
    key, label, checked_on = "tumblr", "Tumblr", CHECKED
    about = "Articles on Tumblr, by hand. The text is copied with its formatting."
    form = "article"
    why = "The API of Tumblr needs an app of your own."
    limits = (Limit("tags", 30, "items"),)
    editor = "https://www.tumblr.com/new/text"
    finish = "Paste the text, add the images and tags, then publish."
    hosts, link_example = ("tumblr.com",), "https://www.tumblr.com/you/"


class HackerNews(ByHand):
    key, label, checked_on = "hackernews", "Hacker News", CHECKED
    about = "Links on Hacker News, by hand, with title and link filled in."
    form, noun = "link", "discussion"
    why = "Hacker News has no API for publishing."
    limits = (Limit("title", 80, "characters"),)
    editor = "https://news.ycombinator.com/submitlink?u={link}&t={title}"
    finish = "Check the title and the link, then submit."
    how_to_delete = "Choose delete, within 2 hours."
    hosts, link_example = ("news.ycombinator.com",), "https://news.ycombinator.com/item?id="


class Reddit(ByHand):
    key, label, checked_on = "reddit", "Reddit", CHECKED
    about = "Links on Reddit, by hand, with title and link filled in."
    form, noun = "link", "discussion"
    why = "Access to the API of Reddit needs an approval."
    limits = (Limit("title", 300, "characters"),)
    editor = "https://www.reddit.com/submit?url={link}&title={title}"
    finish = "Choose the community, check the title, then post."
    hosts, link_example = ("reddit.com", "redd.it"), "https://www.reddit.com/r/"


class X(ByHand):
    key, label, checked_on = "x", "X", CHECKED
    about = "Announcements on X, by hand, with the text filled in."
    form = "text"
    why = "The API of X costs $0.20 for each post with a link."
    limits = (Limit("text", 280, "weighted"),)
    link_cost = 23
    editor = "https://x.com/intent/post?text={text}"
    finish = "Check the text, then post."
    hosts, link_example = ("x.com", "twitter.com"), "https://x.com/you/status/"


class LinkedIn(ByHand):
    key, label, checked_on = "linkedin", "LinkedIn", CHECKED
    about = "Announcements on LinkedIn, by hand, with the text filled in."
    form = "text"
    why = "The API of LinkedIn needs an app of your own."
    limits = (Limit("text", 3000, "utf16"),)
    editor = "https://www.linkedin.com/feed/?shareActive=true&text={text}"
    finish = "Check the text, then post."
    hosts, link_example = ("linkedin.com",), "https://www.linkedin.com/posts/"


class Threads(ByHand):
    key, label, checked_on = "threads", "Threads", CHECKED
    about = "Announcements on Threads, by hand, with the text filled in."
    form = "text"
    max_hashtags = 1
    why = "The API of Threads needs an app of your own."
    limits = (Limit("text", 500, "characters"),)
    editor = "https://www.threads.net/intent/post?text={text}"
    finish = "Check the text, then post."
    hosts, link_example = ("threads.net", "threads.com"), "https://www.threads.com/@you/post/"


class Facebook(ByHand):
    key, label, checked_on = "facebook", "Facebook", CHECKED
    about = "Announcements on a Facebook page or profile, by hand."
    form = "text"
    why = "The API of Facebook needs a review by Meta."
    limits = (Limit("text", 63206, "characters"),)
    editor = "https://www.facebook.com/sharer/sharer.php?u={link}"
    finish = "Paste the text, choose where to post it, then post."
    hosts, link_example = ("facebook.com", "fb.com"), "https://www.facebook.com/"


class Beehiiv(ByHand):
    key, label, checked_on = "beehiiv", "beehiiv", CHECKED
    about = "Newsletters and articles on beehiiv, by hand. The text is copied with its formatting."
    form = "article"
    why = "The API of beehiiv needs an Enterprise plan."
    editor = "https://app.beehiiv.com/posts"
    finish = "Start a new post, paste the text, add the images, then publish. Choose there whether subscribers get it."
    hosts, link_example = ("beehiiv.com",), "https://you.beehiiv.com/p/"


class Instagram(ByHand):
    key, label, checked_on = "instagram", "Instagram", CHECKED
    about = "Announcements on Instagram, by hand, for which you choose an image."
    form = "text"
    why = "The API of Instagram needs a review by Meta."
    limits = (Limit("text", 2200, "characters"),)
    editor = "https://www.instagram.com/"
    finish = "Choose Create, add an image, paste the text, then share. Links in the text can't be clicked."
    hosts, link_example = ("instagram.com",), "https://www.instagram.com/p/"


class Pinterest(ByHand):
    key, label, checked_on = "pinterest", "Pinterest", CHECKED
    about = "Pins on Pinterest, by hand, with a link to the post."
    form, noun = "text", "pin"
    why = "The API of Pinterest needs a review by Pinterest."
    limits = (Limit("text", 500, "characters"),)
    editor = "https://www.pinterest.com/pin-creation-tool/"
    finish = "Add an image, paste the text and the link, then publish."
    hosts, link_example = ("pinterest.com", "pin.it"), "https://www.pinterest.com/pin/"


class Website(ByHand):
    key, label, checked_on = "website", "Another website", CHECKED
    about = "Any other website with an editor, by hand. The text is copied with its formatting."
    form = "article"
    why = "There is no connector for this website."
    editor = ""
    finish = "Paste the text, add the images, then publish."
    hosts, link_example = (), "https://"
