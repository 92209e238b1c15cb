"""Elements that browsers do not show are not published by an import, and the report says what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import markdown
from tests.transfer.test_wordpress_content import imported, item

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"
HIDDEN = [
    "<div hidden><p>Secret</p></div>",
    '<div class="a" style="color: red; DISPLAY : none"><div>x</div>Secret</div>',
    "<span style='display:none'>Secret</span>",
    '<p hidden="">Secret</p>',
    '<img hidden src="/a.png" alt="Secret">',
]
OF_THE_HEAD = [
    '<head><title>Secret</title><meta name="a" content="b" /></head>',
    "<head>\n  <title>Secret *x*</title>\n\n  <link rel='a' />\n</head>",
    "<title>Secret</title>",
    "<template><p>Secret</p></template>",
]


@pytest.mark.parametrize("html", HIDDEN[:-1])
def test_a_hidden_element_in_html_is_left_out(tmp_path: Path, html: str) -> None:
    post = imported(tmp_path, item(f"<p>a</p>{html}<p>b</p>"))
    assert (post.markdown, post.status) == ("a\n\nb", "published")
    (warning,) = post.warnings
    assert warning.startswith("A hidden element was removed, because the old blog did not show it: “")
    assert "Secret" in warning


@pytest.mark.parametrize("html", HIDDEN)
@pytest.mark.parametrize("name", ["content/a.md", "src/content/a.mdx", "_posts/2020-01-02-a.md"])
def test_a_hidden_element_in_markdown_is_left_out(tmp_path: Path, html: str, name: str) -> None:
    post = markdown(tmp_path, f"{HEAD}a\n\n{html}\n\n`{html}`", name)
    assert (post.markdown.split("\n\n")[0], post.markdown.count("Secret"), post.status) == ("a", 1, "published")
    (warning,) = post.warnings
    assert warning.startswith("The hidden element <")
    assert warning.endswith("was removed (line 7).")


@pytest.mark.parametrize("html", OF_THE_HEAD)
@pytest.mark.parametrize("name", ["content/a.md", "src/content/a.mdx", "blog/a.md"])
def test_the_head_of_the_page_is_left_out(tmp_path: Path, html: str, name: str) -> None:
    post = markdown(tmp_path, f"{HEAD}a\n\n{html}\n\nb `<title>`", name)
    assert (post.markdown.split(), post.status) == (["a", "b", "`<title>`"], "published")
    (warning,) = post.warnings
    assert warning.startswith("The hidden element <")
    assert warning.endswith("was removed (line 7).")


@pytest.mark.parametrize("name", ["Head", "Helmet"])
def test_the_component_for_the_head_of_the_page_is_left_out(tmp_path: Path, name: str) -> None:
    text = f'{HEAD}a\n\n<{name}>\n  <title>{{"Secret"}}</title>\n  <html lang="en" />\n</{name}>\n\nb'
    post = markdown(tmp_path, text, "src/content/a.mdx")
    assert post.markdown.split() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("content/a.md", "<div hidden>Secret"),
        ("src/content/a.mdx", "<div style={{ display: 'none' }}>Secret</div>"),
        ("src/content/a.mdx", "<div hidden={true}>Secret</div>"),
    ],
)
def test_a_post_whose_element_may_be_hidden_is_a_draft(tmp_path: Path, name: str, html: str) -> None:
    post = markdown(tmp_path, HEAD + html, name)
    assert post.status == "draft"
    assert "The old blog may have hidden the text in" in post.warnings[0]


def test_words_about_hiding_and_images_stay(tmp_path: Path) -> None:
    text = '<p title="hidden">a</p>\n\n<div data-hidden="x" class="hidden">b</div>\n\nset display: none'
    post = markdown(tmp_path, HEAD + text, "content/a.md")
    assert (post.markdown, post.warnings) == (text, ())
