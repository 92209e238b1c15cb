"""Custom CSS can't contact other hosts, leave its block and its element, or keep the server busy."""

from __future__ import annotations

import time

import pytest

from blogsvc.lib.css_check import MAX_FAULTS, css_faults

FINE = [
    "",
    "a { color: red }",
    "a { color: red; }\n\n/* A comment: url(https://other.example) */\n",
    ":root { --sea: #7a1f5c; --measure: 34rem }",
    ".e-content { p { margin: 0; &:first-child { color: var(--ink-2) } } > img { border-radius: 0 } }",
    "@media (width < 48em) { .site { display: none } }",
    "@supports (display: grid) { a { color: color-mix(in oklab, red 20%, blue) } }",
    "@layer one, two; @layer one { a { color: red } }",
    "@keyframes in { from { opacity: 0 } 50% { opacity: 0.5 } }",
    '@font-face { font-family: Own; src: url("/media/own.woff2") format("woff2") }',
    "@page { margin: 1cm; @top-left { content: 'A' } }",
    ".cover { background: url(/media/sea.webp), url('/static/x.png'), url(/-/icon/32.png) }",
    ".cover { background: image-set(url(/media/1.avif) type('image/avif'), '/media/1.webp' 1x) }",
    "svg { fill: url(#gradient); filter: url('#blur') }",
    "a::before { content: 'https://other.example' }",
    "a { unheard-of: of(it); -webkit-thing: none; --x: { } }",
    ".größe, .日本, .\\31 0 { content: '×“”🦊' }",
]


@pytest.mark.parametrize("css", FINE)
def test_ordinary_css_is_accepted(css: str) -> None:
    assert css_faults(css) == []


OTHER = "is no address of a file of this blog"
HOSTILE = {
    # Other hosts.
    "a { background: url(https://other.example/a.png) }": OTHER,
    "a { background: url( 'https://other.example/a.png' ) }": OTHER,
    "a { background: URL(//other.example/a.png) }": OTHER,
    "a { background: url(/\\\\other.example) }": OTHER,
    "a { background: u\\72l(https://other.example) }": OTHER,
    "a { background: \\75\\72\\6c('https://other.example') }": OTHER,
    "a { background: url(data:image/png;base64,AA==) }": OTHER,
    "a { background: url(/media/../desk/logout) }": OTHER,
    "a { background: url(/media/%2E%2e/desk) }": OTHER,
    "a { background: url(/logout) }": OTHER,
    # Parsers of addresses leave out tabs and newlines, so these would be /media/../desk/x.
    'a { background: url("/media/.\\9 ./desk/x") }': OTHER,
    "a { background: url(/media/.\\a ./desk/x) }": OTHER,
    "a { background: image-set('/media/.\\d ./desk/x' 1x) }": OTHER,
    "a { background: url('/media/a b.png') }": OTHER,
    "a { background: url('/media/a\\7f.png') }": OTHER,
    "a { background: url(sea.png) }": OTHER,
    "a { background: url() }": OTHER,
    "a { background: url('/media/a.png' crossorigin(anonymous)) }": "Write the address alone",
    "a { background: url(var(--x)) }": "address is incomplete",
    "a { background: image-set('https://other.example/a.png' 1x) }": OTHER,
    "a { background: -webkit-image-set(url(https://other.example/a.png) 1x) }": OTHER,
    "a { --x: 'https://other.example'; background: image-set(var(--x) 1x) }": "var() can't be used in image-set()",
    "a { background: image-set(attr(title) 1x) }": "attr() can't be used in image-set()",
    "a { background: src('https://other.example') }": "src() can't be used",
    "a { background: s\\72 c(var(--x)) }": "src() can't be used",
    "a { background: image('https://other.example/a.png') }": "image() can't be used",
    "a { background: cross-fade(url(https://other.example), red) }": OTHER,
    "a { --x: url(https://other.example) }": OTHER,
    "a { --x: { b: [ ( url(https://other.example) ) ] } }": OTHER,
    "a { background: type(url(https://other.example)) }": OTHER,
    "@font-face { font-family: A; src: url(https://other.example/a.woff2) }": OTHER,
    "@property --x { syntax: '<url>'; inherits: true; initial-value: url(https://other.example) }": OTHER,
    "a[href=url(https://other.example)] { }": OTHER,
    "@import 'https://other.example/a.css';": "@import can't be used",
    "@IMPORT url(/media/a.css);": "@import can't be used",
    "@\\69mport 'https://other.example/a.css';": "@import can't be used",
    "@media all { @import 'https://other.example/a.css'; }": "@import can't be used",
    "@charset 'utf-7';": "@charset can't be used",
    "@namespace url(http://www.w3.org/2000/svg);": "@namespace can't be used",
    # Names that parsers of different age split in different places.
    "a { background: ×url(https://other.example) }": "U+00D7 can't be used in names",
    "#\u2764url(https://other.example) { }": "U+2764 can't be used in names",
    "a { background: 1×url(https://other.example) }": "U+00D7 can't be used in names",
    "@×url(https://other.example);": "U+00D7 can't be used in names",
    "a { background: \\d800 url(/media/a.png) }": "U+D800 can't be used in names",
    # The block and the element around it.
    "} body { display: none } a {": "“}” closes nothing",
    "a { color: red }} body { display: none": "“}” closes nothing",
    "a { color: red": "“{” is never closed",
    "a { color: rgb(1 2 3; }": "never closed",
    "a[b { }": "never closed",
    "a { color: red ) }": "“)” closes nothing",
    "/* a": "The comment is never closed",
    "a { content: 'b\n }": "The string doesn't end in its line",
    'a { content: "b': "The string doesn't end in its line",
    "a { background: url(/media/a.png": "The address is incomplete",
    "a::after { content: '</style><script>' }": "“</style”",
    "/* </STYLE > */": "“</style”",
    "<!-- a { color: red } -->": "can't be used here",
    "a { color: r\x00ed }": "control character",
    "a { color: \x0c red }": "control character",
    "a { color: \x85 red }": "control character",
    "a { color: \ud800 }": "control character",
    # What browsers ignore, and an author would look for.
    "a { color red }": "Expected a declaration",
    "a { color: red; b }": "Expected a declaration",
    "color: red;": "Expected a rule",
    "color: red; a { }": "in no rule",
    "@media all { color red; }": "Expected a declaration",
}


@pytest.mark.parametrize("css", HOSTILE)
def test_hostile_and_broken_css_is_refused_with_its_line(css: str) -> None:
    faults = css_faults(f"a {{ color: red }}\n\n{css}")
    assert any(HOSTILE[css] in fault.text for fault in faults), faults
    assert {fault.line for fault in faults} <= {3, 4}


LONG = {
    name: (text * 65_536)[:65_536]
    for name, text in {
        "parentheses": "(",
        "braces": "{",
        "brackets": "[",
        "functions": "a(",
        "rules in rules": "a{",
        "closing brackets": "}",
        "addresses": "url(",
        "strings": "'",
        "comments": "/*",
        "escapes": "\\",
        "at": "@",
        "numbers": "9",
        "numbers with exponents": "9e",
        "ranges": "u+",
        "signs": "-",
        "dots": ".",
        "declarations": "a:",
        "ends": ";",
        "empty rules": "a{}",
        "declarations without a colon": "b;",
        "ends of elements": "</style",
        "control characters": "\x01",
    }.items()
}
LONG |= {
    "closed parentheses": "a{b:" + "(" * 32_000 + ")" * 32_000 + "}",
    "closed rules": "a{" * 20_000 + "}" * 20_000,
    "nested text": "a{" * 16 + "a b:c;" * 10_000 + "}" * 16,
    "one value": "a{b:" + "c " * 32_000 + "}",
    "nested values": "a{b:" + "f(" * 30 + "x " * 32_000 + ")" * 30 + "}",
    "lines": "\n" * 65_000 + "}",
}


@pytest.mark.parametrize("name", LONG)
def test_the_longest_css_is_checked_in_a_bounded_time(name: str) -> None:
    began = time.process_time()
    faults = css_faults(LONG[name])
    assert time.process_time() - began < 5
    assert len(faults) <= MAX_FAULTS
    assert all(len(fault.text) < 300 for fault in faults)


def test_brackets_can_be_nested_only_so_deep() -> None:
    assert css_faults("a { b: " + "(" * 30 + ")" * 30 + "}") == []
    (fault,) = css_faults("a {\nb: " + "(" * 32 + ")" * 32 + "}")
    assert fault == (2, "Brackets can be nested at most 32 deep.")


def test_every_fault_is_found_in_the_order_of_lines() -> None:
    css = "a { background: url(http://a.example) }\n@import 'b';\n\nc { background: src('d') }"
    assert [fault.line for fault in css_faults(css)] == [1, 2, 4]
