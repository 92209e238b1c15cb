"""How long the import of an old blog takes, also if it is killed on the way."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from sqlalchemy import create_engine, text

from tests.bench.million import START
from tests.bench.places import folder
from tests.bench.rows import Row, Rows
from tests.bench.servers import WORDS, Place, command_of, environment_of

PER_SECOND = 50  # posts
WORDS_PER_POST = 800
TAGS = 20
KILLS = 5
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    ' xmlns:wp="http://wordpress.org/export/1.2/"><channel><link>https://old.example</link>'
)


def importing(posts: int = 5_000) -> Rows:
    """The import of a WordPress export with posts of 800 words, with the check of old addresses, killed five times."""
    for kills in (0, KILLS):
        with folder() as place:
            file = place.instance / "wordpress.xml"
            variables = environment_of(place, {})
            _write(file, posts)
            began, before = time.perf_counter(), _cpu_seconds()
            _import(file, place, variables, posts, kills)
            taken, used = time.perf_counter() - began, _cpu_seconds() - before
        killed = f", killed {kills} times" if kills else ""
        yield Row(f"import of {posts:,} posts{killed}", taken, "s", posts / PER_SECOND, f"{posts / taken:.0f} a second")
        if not kills:
            yield Row(f"import of {posts:,} posts, CPU time", used, "s", None, f"{posts / used:.0f} a second")


def _import(file: Path, place: Place, variables: dict[str, str], posts: int, kills: int) -> None:
    """Import the file with the command, which is killed at equal distances and begun again. Each post must be there."""
    command = command_of(["import", str(file)])
    for kill in range(kills):
        process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while _imported(place) < posts * (kill + 1) // (kills + 1):
            assert process.poll() is None, "the import ended too early"
            time.sleep(0.02)
        process.kill()
        process.wait()
    subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL)
    assert _imported(place) == posts, f"{_imported(place)} posts instead of {posts}"


def _imported(place: Place) -> int:
    """Return the number of posts, 0 before there is a database."""
    engine = create_engine(place.rows_url)
    try:
        with engine.connect() as connection:
            return int(connection.execute(text("SELECT count(*) FROM post")).scalar_one())
    except Exception:
        return 0
    finally:
        engine.dispose()


def _cpu_seconds() -> float:
    """Return the CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _write(file: Path, posts: int) -> None:
    with file.open("w", encoding="utf-8") as export:
        export.write(_HEAD)
        export.writelines(_items(posts))
        export.write("</channel></rss>")


def _items(posts: int) -> Iterator[str]:
    words = WORDS.replace("*words*", "words").replace("[link](https://example.org/)", "link")
    for number in range(posts):
        link = f'<a href="https://old.example/of-trees-{(number + 1) % posts}/">link</a>'
        paragraph = words.replace("words", "<em>words</em>").replace("link", link) + words * 4
        content = "\n\n".join(
            f"<h2>Part {part}</h2>\n{paragraph}" for part in range(WORDS_PER_POST // (5 * len(words.split())))
        )
        tags = "".join(
            f'<category domain="post_tag" nicename="tag-{tag}">Tag {tag}</category>'
            for tag in (number % TAGS, (number + 1) % TAGS)
        )
        yield (
            f"<item><title>Of trees, part {number}</title><link>https://old.example/of-trees-{number}/</link>"
            f"<guid>https://old.example/?p={number + 1}</guid><content:encoded><![CDATA[{content}]]></content:encoded>"
            f"<wp:post_id>{number + 1}</wp:post_id><wp:post_name>of-trees-{number}</wp:post_name>"
            f"<wp:post_date_gmt>{START + timedelta(hours=number):%Y-%m-%d %H:%M:%S}</wp:post_date_gmt>"
            f"<wp:status>publish</wp:status><wp:post_type>post</wp:post_type>{tags}</item>\n"
        )
