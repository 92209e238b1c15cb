"""Announcements of an article: they fit the limit, and the link is never cut."""

import random
import re
from dataclasses import replace

import pytest

from blogsvc.connectors._kit.announcements import Allowance, announcement, hashtags
from blogsvc.connectors.errors import Rejected
from blogsvc.lib.text.length import length
from tests.connectors.contract import AN_ARTICLE, FAMILY, with_own_text
from tests.lib.test_text_length import PIECES, UNITS

LINK = AN_ARTICLE.canonical_url
ARTICLE = replace(AN_ARTICLE, title="Of trees", summary="About trees and their shade.", tags=("nature", "old trees"))
TYPED = "Read *this*!\n\n- Now."
OWN = replace(ARTICLE, html="<p>Read <em>this</em>!</p><ul><li>Now.</li></ul>", own_text=TYPED, markdown=TYPED)
ADDRESS = re.compile(r"https?://\S+")
WHOLE = f"Of trees\n\nAbout trees and their shade.\n\n{LINK}\n\n#nature #OldTrees"


def announce(article=ARTICLE, **room):
    return announcement(article, Allowance(**{"limit": 500, **room}), "Example")


def test_an_announcement_contains_title_summary_link_and_tags():
    assert announce().text == WHOLE
    assert announce().warnings == ()


def test_an_announcement_that_just_fits_is_not_shortened():
    assert announce(limit=len(WHOLE)).text == WHOLE


def test_tags_are_dropped_first_starting_with_the_last():
    told = announce(limit=len(WHOLE) - 1)
    assert told.text == WHOLE.removesuffix(" #OldTrees")
    assert told.warnings == ("Tags left out because of the Example length limit: 1.",)


def test_hashtags_over_the_maximum_of_a_platform_are_counted():
    many = replace(ARTICLE, tags=(*(f"tag {letter}" for letter in "abcdefg"), "C#", "Tag A"))
    assert announce(many).warnings == (
        "Example can't show these tags as hashtags: “C#”.",
        "Tags left out because posts on Example get at most 5 hashtags: 2.",
    )
    assert announce(many, max_tags=1).warnings[1:] == (
        "Tags left out because posts on Example get at most 1 hashtag: 6.",
    )
    assert announce(many, max_tags=0).warnings == ()
    assert announce(many, max_hidden_tags=7).warnings == announce(many, max_tags=7).warnings
    assert len(announce(many, max_tags=7).warnings) == 1


def test_then_the_summary_is_shortened():
    told = announce(limit=len(f"Of trees\n\nAbout trees…\n\n{LINK}"))
    assert told.text == f"Of trees\n\nAbout trees…\n\n{LINK}"
    assert told.warnings[-1].startswith("The text is shortened to the Example limit of ")


def test_then_the_summary_is_dropped():
    assert announce(limit=len(f"Of trees\n\nA\n\n{LINK}")).text == f"Of trees\n\n{LINK}"


def test_then_the_title_is_shortened():
    assert announce(limit=len(f"Of…\n\n{LINK}")).text == f"Of…\n\n{LINK}"


def test_if_only_the_link_fits_it_stands_alone():
    assert announce(limit=len(LINK) + 2).text == LINK


def test_a_link_that_does_not_fit_is_rejected_and_never_cut():
    with pytest.raises(Rejected, match="shorter URL"):
        announce(limit=len(LINK) + 1)


def test_a_link_costs_what_the_platform_counts():
    assert announce(limit=len(WHOLE) - len(LINK) + 23, link_cost=23).text == WHOLE
    assert announce(limit=len(WHOLE) - len(LINK) + 22, link_cost=23).hashtags == ("nature",)


def test_a_link_shown_as_a_card_costs_nothing():
    assert announce(limit=len(WHOLE) - len(LINK) - 2, link_cost=0).hashtags == ("nature", "OldTrees")


def test_a_link_in_the_title_has_the_same_cost():
    article = replace(ARTICLE, title="On https://a.b/", summary="", tags=())
    assert announce(article, limit=3 + 23 + 2 + 23, link_cost=23).words == "On https://a.b/"
    assert announce(article, limit=3 + 23 + 2 + 22, link_cost=23).words == "On…"


def test_without_a_canonical_url_there_is_no_link():
    assert announce(replace(ARTICLE, canonical_url=None, tags=())).text == "Of trees\n\nAbout trees and their shade."


def test_without_a_summary_there_are_no_empty_lines():
    assert announce(replace(ARTICLE, summary="  ", tags=())).text == f"Of trees\n\n{LINK}"


def test_without_a_title_the_summary_comes_first():
    told = announce(replace(ARTICLE, title="", tags=()))
    assert told.text == f"About trees and their shade.\n\n{LINK}"
    assert told.warnings == ()


def test_a_long_summary_is_shortened_to_a_teaser():
    told = announce(replace(ARTICLE, summary="word " * 200), limit=5000)
    assert length(told.words, "graphemes") <= 300 + len("Of trees\n\n")
    assert told.warnings == ("The summary is shortened to 300 characters.",)


@pytest.mark.parametrize(("unit", "each"), [("graphemes", 1), ("characters", 7), ("utf16", 11), ("bytes", 25)])
def test_an_emoji_sequence_in_the_title_is_never_split(unit, each):
    article = replace(ARTICLE, title=FAMILY * 4, summary="", tags=(), canonical_url=None)
    ellipsis = length("…", unit)
    assert announce(article, limit=4 * each, unit=unit).words == FAMILY * 4
    assert announce(article, limit=4 * each - 1, unit=unit).words == FAMILY * ((4 * each - 1 - ellipsis) // each) + "…"


def test_a_right_to_left_text_is_cut_at_its_end():
    article = replace(ARTICLE, title="על העצים הגדולים", summary="", tags=())
    assert announce(article, limit=len(LINK) + 12).words == "על העצים…"


def test_custom_text_is_used_as_typed_with_the_link_and_without_tags():
    assert announce(OWN).text == f"{TYPED}\n\n{LINK}"


def test_custom_text_that_contains_the_link_gets_no_second_one():
    own = with_own_text(OWN, f"Read {LINK}.")
    assert announce(own).text == f"Read {LINK}."
    assert announce(own, limit=5 + 23 + 1, link_cost=23).text == f"Read {LINK}."


def test_custom_text_with_a_longer_similar_link_still_gets_the_link():
    assert announce(with_own_text(OWN, f"{LINK}-2")).text == f"{LINK}-2\n\n{LINK}"


def test_too_long_custom_text_is_rejected_with_the_excess():
    limit = len(f"{TYPED}\n\n{LINK}")
    assert announce(OWN, limit=limit).text
    with pytest.raises(Rejected, match=r"is 1 over the limit of \d+, including the link"):
        announce(OWN, limit=limit - 1)


@pytest.mark.parametrize(
    ("tag", "hashtag"),
    [
        ("nature", "nature"),
        ("web development", "WebDevelopment"),
        ("self-hosting", "SelfHosting"),
        ("iOS", "iOS"),
        ("snake_case", "snake_case"),
        ("größe ändern", "GrößeÄndern"),
        ("открытый код", "ОткрытыйКод"),
        ("ανοιχτός κώδικας", "ΑνοιχτόςΚώδικας"),
        ("हिन्दी भाषा", "हिन्दीभाषा"),
        ("قواعد البيانات", "قواعدالبيانات"),
        ("می‌خواهم", "می‌خواهم"),
        ("ქართული ენა", "ქართულიენა"),
        ("プログラミング", "プログラミング"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ("year 2026", "Year2026"),
        ("#hash", "hash"),
    ],
)
def test_a_tag_becomes_one_word_in_any_script(tag, hashtag):
    assert hashtags((tag,), 5) == (hashtag,)


@pytest.mark.parametrize("tag", ["", "2026", "٢٠٢٦", "++", "C++", "C#", "🌳", FAMILY, "❤️", "1️⃣", "\u200d", " "])
def test_tags_that_make_no_valid_hashtag_are_dropped(tag):
    assert hashtags((tag,), 5) == ()


def test_hashtags_are_unique_and_limited():
    assert hashtags(("Trees", "trees", "a", "b", "c"), 3) == ("Trees", "a", "b")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("link_cost", [None, 0, 23])
def test_any_announcement_fits_and_contains_its_link(unit, link_cost):
    rng = random.Random(f"{unit}{link_cost}")

    def words(most):
        return "".join(rng.choices(PIECES, k=rng.randrange(most)))

    for _ in range(300):
        article = replace(ARTICLE, title=words(20), summary=words(60), tags=tuple(words(4) for _ in range(6)))
        room = Allowance(rng.randrange(60, 400), unit, link_cost)
        told = announcement(article, room, "Example")
        tags = " ".join(f"#{tag}" for tag in told.hashtags)
        written = told.text if link_cost != 0 else "\n\n".join(filter(None, (told.words, tags)))
        priced = ADDRESS.sub("x" * link_cost, written) if link_cost else written
        assert length(priced, unit) <= room.limit
        assert told.link == LINK
        assert not told.words.startswith("\n")
