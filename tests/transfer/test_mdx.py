"""MDX: code and sentences stay, statements and components go, and the report names them with their lines."""

from __future__ import annotations

import re
from pathlib import Path
from time import process_time

import pytest

from blogsvc.lib.markdown.render import render
from tests.transfer.test_formats import found, markdown, zipped

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
    ],
)
def test_an_image_of_a_component_keeps_its_alternative_text(tmp_path: Path, attributes: str, alt: str) -> None:
    assert markdown(tmp_path, f'{HEAD}<Image src="/a.png" {attributes} />', NAME).markdown == f"![{alt}](/a.png)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<Figure src="/p.png" alt="Alt" caption="Plain cap" />', '![Alt](/p.png "Plain cap")'),
        ('<Figure src="/p.png" caption={`A "cap"`} />', r'![A "cap"](/p.png "A \"cap\"")'),
        ('<Figure src="/p.png" caption={<>By <b>Ann</b> &amp; Bo</>} />', '![By Ann & Bo](/p.png "By Ann & Bo")'),
        ('<Image src="/p.png" alt="" caption="C" />', '![C](/p.png "C")'),
        ('<Figure href="/b" src="/p.png" alt="Alt" caption="C" />', '[![Alt](/p.png "C")](/b)'),
        ('<Figure src="/p.png" alt="Alt">\nWords *of* it\n</Figure>', "![Alt](/p.png)\n\nWords *of* it"),
        ('<Figure src="/p.png" alt="Alt">Words *of* it</Figure>', "![Alt](/p.png)\n\nWords *of* it"),
        ('A <Image src="/p.png" alt="Alt">b</Image> c', "A ![Alt](/p.png) b c"),
    ],
)
def test_an_image_of_a_component_keeps_its_caption_and_its_link(tmp_path: Path, text: str, shown: str) -> None:
    assert markdown(tmp_path, HEAD + text, NAME).markdown.strip() == shown


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
        ("<Note>\n- a\n\n      b\n</Note>", "- a\n\n  b"),
        ("1. One\n\n   <Note>\n     In *it*\n   </Note>\n\n2. Two", "1. One\n\n   \n   In *it*\n   \n\n2. Two"),
        ("- <Note>\n  In it\n  </Note>\n- b", "- \n  In it\n  \n- b"),
        (
            "1. One\n\n   <Note title='T' text='More'>\n   In it\n   </Note>",
            "1. One\n\n   **T**\n\n   More\n\n   In it",
        ),
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


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('Use {"<b>"} here.\n\nNext', "<p>Use &lt;b&gt; here.</p>\n<p>Next</p>"),
        ('Ticks {"`"}x{"`"} y `a {"b"}`', '<p>Ticks `x` y <code>a {"b"}</code></p>'),
        ('Stars {"*"}a{"*"} {"[a](b)"} {"&amp;"}', "<p>Stars *a* [a](b) &amp;amp;</p>"),
        ('{"# none"}\n\n{"{"}x{"}"}', "<p># none</p>\n<p>{x}</p>"),
        (r"""{'It\'s'} {"a \"b\""} {"\u00e9\x21\u{1F600}"} {'a' + "b"} {42}""", "<p>It’s a “b” é!😀 ab 42</p>"),
        (r"{`a \`b\` \${c}`}", "<p>a `b` ${c}</p>"),
        (r'\\{"x"} \`{"y"}\`', r"<p>\x `y`</p>"),
        ("<code>{'{x}'}</code> and <code>{`<A />`}</code>", "<p><code>{x}</code> and <code>&lt;A /&gt;</code></p>"),
        ('Press <kbd>{"{"}</kbd> and <samp>a {"*"}b{"*"}</samp>', "<p>Press <kbd>{</kbd> and <samp>a *b*</samp></p>"),
        ("<pre>a {'<b> *c*'}\n\n{'d'}</pre>", "<pre>a &lt;b&gt; *c*\n\nd</pre>"),
        ("<p title={'\"a\" & b'}>x</p>", '<p title="&quot;a&quot; &amp; b">x</p>'),
    ],
)
def test_strings_are_shown_as_they_are(tmp_path: Path, text: str, html: str) -> None:
    post = markdown(tmp_path, HEAD + text, NAME)
    assert post.warnings == ()
    assert shown_in(post.markdown) == html


def shown_in(text: str) -> str:
    """Return the HTML of a text, without what pages add to images and code."""
    html = re.sub(r' (?:loading|decoding|tabindex|translate|class)="[^"]*"', "", render(text)).strip()
    return re.sub(r"</?span>", "", html)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<pre>{`line 1\n\n  line 2`}</pre>", "```\nline 1\n\n  line 2\n```"),
        ("<pre>\n  <code className='language-js'>{`a {b}`}</code>\n</pre>", "```js\na {b}\n```"),
        (
            'Say <Highlight color="#25c2a0">Text **b** [l](https://x.example)</Highlight> on.',
            "Say Text **b** [l](https://x.example) on.",
        ),
        ("<Highlight>\n{`\na\n`}\n</Highlight>", "```\na\n```"),
        ('<Highlight language="js">a **b**</Highlight>', "```js\na **b**\n```"),
        (
            '<CodeBlock language="js" title="x.js">{`const a = 1;\nconst b = "x";`}</CodeBlock>',
            '```js title="x.js"\nconst a = 1;\nconst b = "x";\n```',
        ),
        ("<CodeBlock language='js'>\n{`\na\n`}\n</CodeBlock>", "```js\na\n```"),
        ('<CodeBlock className="language-py">a = *b*</CodeBlock>', "```py\na = *b*\n```"),
        ('<Code code={`a\n\n"b"`} lang="js" />', '```js\na\n\n"b"\n```'),
        ("- item\n\n  <Code code={`a\nb`} lang='js' />\n- next", "- item\n\n  ```js\n  a\n  b\n  ```\n\n- next"),
        ("Words <Code code='a' lang='js' /> more", "Words \n\n```js\na\n```\n\n more"),
        ("<div>\n<pre>{`a`}</pre>\n</div>", "<div>\n\n```\na\n```\n\n</div>"),
        ("<Tab>\n    <CodeBlock>{`a\nb`}</CodeBlock>\n</Tab>", "```\na\nb\n```"),
    ],
)
def test_code_in_strings_is_code(tmp_path: Path, text: str, code: str) -> None:
    assert markdown(tmp_path, HEAD + text, NAME).markdown.strip() == code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Before.\n\n    Four spaces *em*.", "Before.\n\nFour spaces *em*."),
        ("\tTab.\n\n    - item\n\n          more", "Tab.\n\n- item\n\n  more"),
        ("> a\n>\n>     b", "> a\n>\n> b"),
        ("```\n    code\n```", "```\n    code\n```"),
        ("a\n\n    \u2028\n\nb", "a\n\n\u2028\n\nb"),
    ],
)
def test_text_that_is_indented_is_no_code(tmp_path: Path, text: str, shown: str) -> None:
    assert markdown(tmp_path, HEAD + text, NAME).markdown == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<div>\n  **md inside** and `code`\n</div>", "<div>\n\n**md inside** and `code`\n\n</div>"),
        ("<div>\n  - a\n    - *b*\n</div>\n\nAfter", "<div>\n\n- a\n  - *b*\n\n</div>\n\nAfter"),
        ("<p>*inline* <b>x</b></p>", "<p><em>inline</em> <b>x</b></p>"),
        (
            "<figcaption>A caption *with* [link](https://x.example)</figcaption>",
            '<figcaption>A caption <em>with</em> <a href="https://x.example">link</a></figcaption>',
        ),
        ('<p>{"<b>"} *x*</p>', "<p>&lt;b&gt; <em>x</em></p>"),
        (
            "<table>\n<tr><td>**a**</td><td>\n  `b`\n</td></tr>\n</table>",
            "<table>\n<tr><td><strong>a</strong></td><td>\n  <code>b</code>\n</td></tr>\n</table>",
        ),
        (
            "<details>\n<summary>**T**</summary>\nWords *x*\n```js\na\n\n*b*\n```\n</details>",
            "<details>\n<summary><strong>T</strong></summary>\n\nWords *x*\n```js\na\n\n*b*\n```\n</details>",
        ),
        (
            "- <p>*a*</p>\n\n  > <div>\n  > *b*\n  > </div>",
            "- <p><em>a</em></p>\n\n  > <div>\n  >\n  > *b*\n  >\n  > </div>",
        ),
        ('<div\n  title="*a*">\nb\n</div>', '<div\n  title="*a*">\nb\n</div>'),
        ("<pre>\n*a*\n</pre>", "<pre>\n*a*\n</pre>"),
        ("<div>\n\n*a*\n\n</div>", "<div>\n\n*a*\n\n</div>"),
        ("<p>[a]</p>\n\n[a]: https://a.example", '<p><a href="https://a.example">a</a></p>\n\n[a]: https://a.example'),
    ],
)
def test_markdown_between_tags_is_read(tmp_path: Path, text: str, shown: str) -> None:
    assert markdown(tmp_path, HEAD + text, NAME).markdown == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            '<Card title="Title text" description={`Desc *x*`} href="https://x.example" />',
            r"[Title text](https://x.example) Desc \*x\*",
        ),
        ('<Card title="T [1]" href="/b">Words</Card>', r"[T \[1\]](/b) Words"),
        ('<Link to="/b" title="Tip">words</Link>', '[words](/b "Tip")'),
        ('<Tube url="https://v.example/" title="It\'s \\"a" />', None),
        ('<Tube url="https://v.example/" title={"It\'s \\"a\\""} />', '[It\'s "a"](https://v.example/)'),
        ('<TabItem value="a" label="npm &amp; co">\nWords\n</TabItem>', "**npm & co**\n\nWords"),
        ('<Callout title="Title" description="More" />', "**Title**\n\nMore"),
        ('A <Badge text="New" /> b', "A New b"),
        ('A <Term title="tip">b</Term> <InfoIcon label="c" />', "A b"),
    ],
)
def test_words_in_attributes_of_components_stay(tmp_path: Path, text: str, shown: str | None) -> None:
    post = markdown(tmp_path, HEAD + text, NAME)
    assert post.markdown.strip() == (text if shown is None else shown)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ('<YouTube id="abcdefghijk" />', "https://www.youtube.com/watch?v=abcdefghijk"),
        ('<LiteYouTubeEmbed id="abcdefghijk" />', "https://www.youtube.com/watch?v=abcdefghijk"),
        ("<Youtube videoId={`abcdefghijk`} />", "https://www.youtube.com/watch?v=abcdefghijk"),
        ('<YouTube id="https://youtu.be/abcdefghijk" />', "https://youtu.be/abcdefghijk"),
        ('<Tweet id="https://twitter.com/a/status/123" />', "https://twitter.com/a/status/123"),
        ('<Tweet id="123" />', "https://x.com/i/status/123"),
        ("<TwitterTweetEmbed tweetId={'123'} />", "https://x.com/i/status/123"),
        ('<Vimeo id="123" />', "https://vimeo.com/123"),
        ("<Vimeo id={123} />", "https://vimeo.com/123"),
        ('<Gist id="ann/0123abc" />', "https://gist.github.com/ann/0123abc"),
        ('<Section id="abcdefghijk" />', ""),
        ('<YouTubeIcon id="icon" />', ""),
    ],
)
def test_what_a_component_embeds_by_its_id_is_a_link(tmp_path: Path, text: str, address: str) -> None:
    post = markdown(tmp_path, HEAD + text, NAME)
    assert post.markdown.strip() == (f"<{address}>" if address else "")
    assert ("is a link now" in post.warnings[0]) is bool(address)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<Aside title="Watch out">One line.</Aside>', "**Watch out**\n\nOne line."),
        ('<Aside title="T">One\nmore\n</Aside>\n\nend', "**T**\n\nOne\nmore\n\nend"),
        ('<Aside title="T">One</Aside>\nend', "**T**\n\nOne\n\nend"),
        (
            '<Tabs><Tab label="npm">npm i</Tab><Tab label="yarn">yarn add</Tab></Tabs>',
            "**npm**\n\nnpm i\n\n**yarn**\n\nyarn add",
        ),
        (
            'a\n\n<Tabs>\n  <Tab label="npm">npm i</Tab>\n  <Tab label="yarn">yarn add</Tab>\n</Tabs>\n\nb',
            "a\n\n**npm**\n\nnpm i\n\n**yarn**\n\nyarn add\n\nb",
        ),
        ('<Card title="A">x</Card>\n<Card title="B">y</Card>', "**A**\n\nx\n\n**B**\n\ny"),
        ('<Tab title="A"><Aside title="B">c</Aside></Tab>', "**A**\n\n**B**\n\nc"),
        ('<Step title="A">b <Term title="tip">c</Term></Step>', "**A**\n\nb c"),
        ('- <Aside title="T">One\n  more</Aside>\n- b', "- **T**\n\n  One\n  more\n\n- b"),
        ('> <Aside title="T">One</Aside>\n> more', "> **T**\n>\n> One\n>\n> more"),
        ('<div>\n<Card title="T">c</Card>\n</div>', "<div>\n\n**T**\n\nc\n\n</div>"),
        ('<Term title="tip">b</Term> begins words', "b begins words"),
        ('words\n<Term title="tip">b</Term>\nwords', "words\nb\nwords"),
    ],
)
def test_titles_of_components_in_one_line_stay_unless_they_are_in_words(tmp_path: Path, text: str, shown: str) -> None:
    made = markdown(tmp_path, HEAD + text, NAME).markdown
    assert re.sub(r"\n{3,}", "\n\n", made.strip()) == shown


def test_many_components_in_one_line_take_little_time(tmp_path: Path) -> None:
    for text in ('<A title="b">' * 20_000, '<A title="b">c</A>' * 20_000, '<A title="b">' * 10_000 + "</A>" * 10_000):
        begun = process_time()
        assert markdown(tmp_path, HEAD + text, NAME).warnings
        assert process_time() - begun < 20


IMPORTS = (
    "import hero from '../../assets/hero.png';\nimport Logo from './logo.svg'\nexport const own = \"/img/own.png\";\n\n"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<Image src={hero} alt="The hero\'s image" />', "![The hero's image](../../assets/hero.png)"),
        ('<img src={hero.src} alt="x" />', '<img src="../../assets/hero.png" alt="x" />'),
        ("<Image src={require('./pic.png')} alt=\"pic\" />", "![pic](./pic.png)"),
        ("<img src={require('./pic.png').default} />", '<img src="./pic.png" />'),
        ("<img src={useBaseUrl('/img/a.png')} />", '<img src="/img/a.png" />'),
        ("<Image src={import('./my pic.png')} alt={`Alt t`} />", "![Alt t](./my%20pic.png)"),
        ("<Image src={own} alt={'[a]'} />", r"![\[a\]](/img/own.png)"),
        ("<ThemedImage alt='a' sources={{light: useBaseUrl('/img/l.png'), dark: '/img/d.png'}} />", "![a](/img/l.png)"),
        ("A <Logo title='Our logo' /> b", "A ![Our logo](./logo.svg) b"),
        (
            '<figure>\n  <Image src="/hero.png" alt={`Alt t`} width={1} />\n'
            "  <figcaption>A *b*</figcaption>\n</figure>",
            '<figure>\n  <img src="/hero.png" alt="Alt t" />\n  <figcaption>A <em>b</em></figcaption>\n</figure>',
        ),
        (
            '<ul>\n<li><Card title="T" href="/b" /></li>\n</ul>',
            '<ul>\n<li><a href="/b">T</a></li>\n</ul>',
        ),
    ],
)
def test_images_and_links_of_components_are_shown_wherever_they_are(tmp_path: Path, text: str, shown: str) -> None:
    post = markdown(tmp_path, HEAD + IMPORTS + text, NAME)
    assert post.markdown.strip() == shown


def test_an_imported_image_is_found_in_the_file(tmp_path: Path) -> None:
    text = HEAD + IMPORTS + "<Image src={hero} alt='h' />\n\n<img src={require('@site/static/img/s.png').default} />"
    files = {"src/content/blog/a.mdx": text, "src/assets/hero.png": b"a", "static/img/s.png": b"b"}
    posts, _ = found(zipped(tmp_path, files))
    assert posts["a"].images == (
        ("../../assets/hero.png", "src/assets/hero.png"),
        ("@site/static/img/s.png", "static/img/s.png"),
    )


@pytest.mark.parametrize(
    ("settings", "head", "is_mdx"),
    [
        ("module.exports = {}", "", True),
        ("export default {\n  markdown: {\n    format: 'detect',\n  },\n}", "", False),
        ("export default {\n  markdown: {\n    format: 'mdx',\n  },\n}", "", True),
        ("", "mdx:\n  format: md\n", False),
        (None, "", False),
    ],
)
def test_all_markdown_of_docusaurus_is_mdx(tmp_path: Path, settings: str | None, head: str, is_mdx: bool) -> None:
    text = f"---\ntitle: A\n{head}date: 2020-01-02\n---\nimport A from 'b'\n\n<A>x {{'y'}}</A>"
    files = {"blog/a.md": text, **({} if settings is None else {"docusaurus.config.js": settings})}
    posts, _ = found(zipped(tmp_path, files))
    assert (posts["a"].markdown == "x y") == is_mdx
    assert ("import" not in posts["a"].markdown) == is_mdx


@pytest.mark.parametrize(
    ("element", "kept"),
    [
        ('<video src="https://x.example/v.mp4" controls />', '<video src="https://x.example/v.mp4" controls></video>'),
        ('<audio src="/a.mp3"/>', '<audio src="/a.mp3"></audio>'),
        ('<video\n  src={"/v.mp4"}\n  muted\n/>', '<video src="/v.mp4"\n  muted></video>'),
        ('<video src="/v.mp4" muted={true} />', '<video src="/v.mp4"></video>'),
        ('<iframe src="https://v.example/a" title="T" />', '<iframe src="https://v.example/a" title="T"></iframe>'),
        ('<script src="https://x.example/a.js" />', ""),  # removed and named
        ('<object data="x.svg" />', ""),
        ("<textarea />", ""),
        ('<div className="clear" />', '<div className="clear"></div>'),
        ("<b />words", "<b></b>words"),
        ('Before <a id="x" /> behind.', 'Before <a id="x"></a> behind.'),
        ("<table><tr><td /><td>a</td></tr></table>", "<table><tr><td></td><td>a</td></tr></table>"),
        ("<my-card/>", "<my-card></my-card>"),
        ("a<br />b<img src='/a.png'/><br></br>c<hr></hr >", "a<br />b<img src='/a.png'/><br>c<hr>"),
        ("`<video />` and\n\n    <b />", "`<video />` and\n\n<b></b>"),
    ],
)
def test_elements_that_end_where_they_begin_do_not_hide_the_text_after_them(
    tmp_path: Path, element: str, kept: str
) -> None:
    post = markdown(tmp_path, f"{HEAD}{element}\n\nAfter *it*.\n\nMore.", NAME)
    assert post.markdown == f"{kept}\n\nAfter *it*.\n\nMore.".lstrip()
    assert render(post.markdown, "").rstrip().endswith("<p>After <em>it</em>.</p>\n<p>More.</p>")


def test_files_that_a_text_imports_are_shown_in_it(tmp_path: Path) -> None:
    text = f"{HEAD}import Part from './_part.mdx'\n\nOne\n\n<Part />\n\n- <Part/>\n\nTwo"
    part = "---\nid: x\n---\nimport A from '@site/blog/_b.md'\n\nPart *a*\n\n<A />"
    files = {"docusaurus.config.js": "", "blog/a.mdx": text, "blog/_part.mdx": part, "blog/_b.md": "In b"}
    posts, _ = found(zipped(tmp_path, dict(files)))
    post = posts["a"]
    assert post.markdown.split() == "One Part *a* In b - Part *a* In b Two".split()
    assert "- Part *a*\n  \n" in post.markdown
    assert "The component <Part /> is the text of ./_part.mdx now (line 9)." in post.warnings


def test_files_that_import_themselves_are_shown_only_sometimes(tmp_path: Path) -> None:
    text = HEAD + "import A from './a.mdx'\n\nWords\n\n" + "<A />\n\n" * 50
    posts, _ = found(zipped(tmp_path, {"blog/a.mdx": text}))
    assert "Words" in posts["a"].markdown
    assert len(posts["a"].markdown) < 1_000_000


def test_links_to_files_of_docusaurus_have_plain_paths(tmp_path: Path) -> None:
    text = '[f](@site/static/x.pdf) [a](pathname:///y.html) `[c](pathname:///z)` <a href="pathname:///d">e</a>'
    shown = '[f](/x.pdf) [a](/y.html) `[c](pathname:///z)` <a href="/d">e</a>'
    assert markdown(tmp_path, HEAD + text, NAME).markdown == shown
