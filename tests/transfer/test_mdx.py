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


@pytest.mark.parametrize(
    "statement",
    [
        "export const Hint = () => { return <p>That's all</p> }",
        "export const Site = () => { return <p>Read http://a.example</p> }",
        "export const matches = (text) => text.split(/[{'`]/)",
        "export const Quote = () => (\n  <p>It's {x} o'clock, isn't it</p>\n)",
        "export const rule = { test: /\\.{3}\\//, name: 'a' }",
        "import a from'./a'\nexport const b = `${a}'`",
    ],
)
def test_words_and_patterns_in_statements_do_not_hide_where_these_end(tmp_path: Path, statement: str) -> None:
    post = markdown(tmp_path, f"{HEAD}{statement}\n\nfirst {{x}}\n\n{statement}\n\nlast", NAME)
    assert post.markdown.split() == ["first", "last"]
    assert not any("not found" in warning for warning in post.warnings)


@pytest.mark.parametrize(
    "statement",
    [
        "export const Smile = () => <p>:-{</p>",
        "export const Smile = () => {\n  return <p>`</p>\n}",
        "export const data = [\n" + "  'a long line of data',\n" * 3000 + "]",
        "export const Smile = () => { // <p>\n  return <p>// }</p> }",
    ],
)
@pytest.mark.parametrize("rest", ["# Heading\n\nThe rest } of the post.", "all of the rest"])
def test_a_statement_whose_end_is_not_found_ends_at_the_next_blank_line(
    tmp_path: Path, statement: str, rest: str
) -> None:
    post = markdown(tmp_path, f"{HEAD}first\n\n{statement}\n\n{rest}", NAME)
    assert post.markdown.split() == f"first {rest}".split()
    (warning,) = post.warnings
    assert warning.startswith("The end of export const ")
    assert warning.endswith("was not found. What is before the next blank line was removed (line 7).")


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


@pytest.mark.parametrize(
    ("attributes", "alt"),
    [
        ('alt="It\'s a boat"', "It's a boat"),
        ("alt='The \"Boat\"'", 'The "Boat"'),
        (r'alt={"The \"Boat\""}', 'The "Boat"'),
        ('alt="The &quot;Boat&quot;"', 'The "Boat"'),
        ('title="T" alt="A"', "A"),
        ('alt="" caption="C"', "C"),
    ],
)
def test_an_image_of_a_component_keeps_its_alternative_text(tmp_path: Path, attributes: str, alt: str) -> None:
    assert markdown(tmp_path, f'{HEAD}<Image src="/a.png" {attributes} />', NAME).markdown == f"![{alt}](/a.png)"


def test_a_component_for_some_readers_makes_a_draft(tmp_path: Path) -> None:
    post = markdown(tmp_path, f"{HEAD}<MembersOnly>Secret</MembersOnly>", NAME)
    assert (post.status, post.markdown) == ("draft", "Secret")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<Note>\n    Words.\n\n    - item\n      more\n</Note>", "Words.\n\n- item\n  more"),
        ("<Tabs>\n    <Tab>\n\n        In it\n\n    </Tab>\n    After\n</Tabs>", "In it\n\n\nAfter"),
        (
            "<Note>\n\t\tWords\n\n\t\t```js\n\t\ta {b}\n\n\t\t    c\n\t\t```\n</Note>",
            "Words\n\n```js\na {b}\n\n    c\n```",
        ),
        ("<Note>\n- a\n\n      b\n</Note>", "- a\n\n      b"),
    ],
)
def test_the_indented_content_of_a_component_is_no_code(tmp_path: Path, text: str, shown: str) -> None:
    assert markdown(tmp_path, HEAD + text, NAME).markdown.strip() == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('See <Link to="/b">the words</Link>.', "See [the words](/b)."),
        ('See <Link href="https://a.example">the *words*</Link>.', "See [the *words*](https://a.example)."),
        ('<Card href="/b">\n\nWords\n\nMore\n\n</Card>', "[/b](/b)\n\nWords\n\nMore"),
        ('<Card href="/b">Words [x](/c)</Card>', "[/b](/b) Words [x](/c)"),
        ("<Tab>a</Tab><Tab>b</Tab>", "a b"),
        ("one<Break/>two<Mark>3</Mark>.", "one two3."),
        ("a {`template\n words`} b {`${x}`}", "a template\n words b"),
    ],
)
def test_words_beside_components_are_not_glued_and_links_have_their_words(
    tmp_path: Path, text: str, shown: str
) -> None:
    assert markdown(tmp_path, HEAD + text, NAME).markdown.strip() == shown
