"""MDX: code and sentences stay, statements and components go, and the report names them with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import markdown

HEAD, NAME = "---\ntitle: A\ndate: 2020-01-02\n---\n", "src/content/a.mdx"


@pytest.mark.parametrize(
    "text",
    [
        "import duties rose last year.\nexport figures, too.",
        "export default settings matter.\n\nimport type errors are common.\n\nexport const is a keyword.",
        'Use `<Tabs>` and `Array<String>`.\n\n```tsx\nimport { Foo } from "./foo";\nexport default <Foo />;\n```',
        "- a\n\n  ```js\n  import a from 'b'\n  {x}\n  ```",
        r"Escaped \{x} and \<Foo>, $a_{1} + \frac{b}{c}$ and 1 < 2.",
        "words\nimport {a} from 'b'",
        '<a href="/b">c</a>\n\n<br/>',
        "{ never closed, <Foo never closed",
    ],
)
def test_code_and_sentences_stay(tmp_path: Path, text: str) -> None:
    post = markdown(tmp_path, HEAD + text, NAME)
    if "\nimport {a}" not in text:
        assert (post.markdown, post.warnings) == (text, ())


@pytest.mark.parametrize(
    "statement",
    [
        "import A from './a.astro'",
        "import './a.css';",
        "import A, { b as c } from 'd'",
        "import * as a from 'b'",
        "import {\n  a,\n  b,\n} from 'c'\nimport D from 'e'",
        "export const meta = {\n  a: 1,\n\n  b: `x}\n\ny`, // }\n};",
        "export const a =\n  1",
        "export default ({ children }) => <Foo bar={1}>{children}</Foo>",
        "export function a(b) {\n  return '}'\n}",
        "export { a } from 'b'",
        "export * from './a'",
    ],
)
def test_statements_of_javascript_are_removed(tmp_path: Path, statement: str) -> None:
    post = markdown(tmp_path, f"{HEAD}{statement}\n\nfirst\n\n{statement}\n\nlast", NAME)
    assert post.markdown.split() == ["first", "last"]
    assert all("The statement " in warning for warning in post.warnings)
    assert "(lines 5, " in post.warnings[0]


KEPT = "was removed; its content was kept"


@pytest.mark.parametrize(
    ("text", "shown", "what", "became"),
    [
        ('A <Note a="b">kept</Note> end.', "A kept end.", 'component <Note a="b">', KEPT),
        ("<Foo a={{ b: '>' }} />x", "x", "component <Foo a={{ b: '>' }} />", "was removed"),
        ("<Tabs.Item>a</Tabs.Item>", "a", "component <Tabs.Item>", KEPT),
        (
            '<Image src="/a.png" alt="b" />',
            "![b](/a.png)",
            'component <Image src="/a.png" alt="b" />',
            "is an image now",
        ),
        ('<Tube url="https://v.example/?a" />', "<https://v.example/?a>", "component", "is a link now"),
        ("a {/* Secret */}b", "a b", "", "A comment, which the old blog did not show, was removed"),
        ("    {/* Secret\n\n */}b", "b", "", "A comment, which the old blog did not show, was removed"),
        ("a {props.name} b{' '}c", "a  b c", "expression {props.name}", "was removed"),
        ('<p style={{ color: "red" }}>a</p>', "<p>a</p>", 'attribute {{ color: "red" }}', "was removed"),
    ],
)
def test_components_and_expressions_are_removed_with_their_content_kept(
    tmp_path: Path, text: str, shown: str, what: str, became: str
) -> None:
    post = markdown(tmp_path, HEAD + text, NAME)
    assert (post.markdown.strip(), post.status) == (shown, "published")
    (warning,) = (one for one in post.warnings if "image is" not in one)
    assert warning.endswith(f"{became} (line 5).")
    assert what in warning


def test_a_component_for_some_readers_makes_a_draft(tmp_path: Path) -> None:
    post = markdown(tmp_path, f"{HEAD}<MembersOnly>Secret</MembersOnly>", NAME)
    assert (post.status, post.markdown) == ("draft", "Secret")
