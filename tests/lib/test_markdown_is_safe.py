"""No script gets through Markdown: known payloads, parsed as a browser would."""

import pytest

from blogsvc.lib.markdown.render import render
from tests.html_safety import dangers
from tests.tiers import matrix

PAYLOADS = r'''
<script>alert(1)</script>
<SCRIPT SRC=https://evil.example/x.js></SCRIPT>
<script/x>alert(1)</script >
<scr<script>ipt>alert(1)</scr</script>ipt>
<<script>alert(1);//<</script>
<script
<img src=x onerror=alert(1)>
<img src=x onerror="alert(1)"//
<img """><script>alert(1)</script>">
<img src=x:x onerror&#61;alert(1)>
<img/src=x/onerror=alert(1)>
<img src="x` `<script>alert(1)</script>"` `>
<img src=`x`onerror=alert(1)>
<IMG SRC="jav&#x09;ascript:alert(1);">
<IMG SRC=javascript:alert(String.fromCharCode(88,83,83))>
<img dynsrc="javascript:alert(1)" lowsrc="javascript:alert(1)">
<img srcset="javascript:alert(1) 1x, x 2x">
<body onload=alert(1)>
<body background="javascript:alert(1)">
<div onmouseover="alert(1)" style="width:100%">x</div>
<div onclick	=	alert(1)>x</div>
<p/onfocus=alert(1) tabindex=1 autofocus>x</p>
<details open ontoggle=alert(1)><summary>x</summary></details>
<video src=x onerror=alert(1)></video>
<video poster=javascript:alert(1)></video>
<audio src=data:text/html,x onloadstart=alert(1)>
<video><source onerror="alert(1)"></video>
<input onfocus=alert(1) autofocus>
<input type=image src=javascript:alert(1) formaction=javascript:alert(1)>
<select autofocus onfocus=alert(1)><option>x</select>
<textarea><img src=x onerror=alert(1)></textarea>
<marquee onstart=alert(1)>x</marquee>
<svg onload=alert(1)>
<svg><script>alert(1)</script></svg>
<svg><script href="data:text/javascript,alert(1)"/></svg>
<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>
<svg><animate onbegin=alert(1) attributeName=x dur=1s>
<svg><a><animate attributeName=href values=javascript:alert(1) /><text y=20>x</text></a></svg>
<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>#x"/>
<svg><foreignObject><iframe srcdoc="<script>alert(1)</script>"></foreignObject></svg>
<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">
<svg><style><img src=x onerror=alert(1)></style></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">
<math><mi><style><img src=x onerror=alert(1)></style></mi></math>
<math href="javascript:alert(1)">x</math>
<math><maction actiontype="statusline#" xlink:href="javascript:alert(1)">x</maction></math>
<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>
<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>
<noscript><p title="</noscript><img src=x onerror=alert(1)>">
<template><img src=x onerror=alert(1)></template>
<template shadowrootmode=open><script>alert(1)</script></template>
<style>@import 'javascript:alert(1)';</style>
<style><!--</style><script>alert(1)</script>--></style>
<style>*{background:url(javascript:alert(1))}</style>
<p style="background:url(javascript:alert(1));behavior:url(x.htc)">x</p>
<xmp><p title="</xmp><img src=x onerror=alert(1)>">
<noembed><img title="</noembed><img src=x onerror=alert(1)>"></noembed>
<title><img title="</title><img src=x onerror=alert(1)>"></title>
<iframe src="javascript:alert(1)"></iframe>
<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>
<iframe><p title="</iframe><img src=x onerror=alert(1)>">
<object data="javascript:alert(1)"></object>
<object data="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="></object>
<embed src="javascript:alert(1)">
<applet code="javascript:alert(1)"></applet>
<form action="javascript:alert(1)"><button>x</button></form>
<form id=x></form><button form=x formaction="javascript:alert(1)">x</button>
<isindex type=image src=1 onerror=alert(1)>
<meta http-equiv="refresh" content="0;url=javascript:alert(1)">
<meta charset="utf-7">+ADw-script+AD4-alert(1)+ADw-/script+AD4-
<base href="javascript:alert(1)//">
<link rel=stylesheet href="javascript:alert(1)">
<link rel=import href="data:text/html,<script>alert(1)</script>">
<frameset onload=alert(1)><frame src="javascript:alert(1)"></frameset>
<table background="javascript:alert(1)"><tr><td background="javascript:alert(1)">x</table>
<a href="javascript:alert(1)">x</a>
<a href="JaVaScRiPt:alert(1)">x</a>
<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>
<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1)">x</a>
<a href="&#0000106avascript:alert(1)">x</a>
<a href="javascript&colon;alert(1)">x</a>
<a href="java&Tab;script:alert(1)">x</a>
<a href="java&NewLine;script&colon;alert(1)">x</a>
<a href=" &#14;  javascript:alert(1)">x</a>
<a href="&#1;javascript:alert(1)">x</a>
<a href="//javascript:alert(1)" onclick="alert(1)">x</a>
<a href="vbscript:msgbox(1)">x</a>
<a href="data:text/html,<script>alert(1)</script>">x</a>
<a href="DATA:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg">x</a>
<a href="feed:javascript:alert(1)">x</a>
<a href="view-source:javascript:alert(1)">x</a>
<a href="livescript:alert(1)">x</a>
<a href=x ping="javascript:alert(1)" target="_blank">x</a>
<a xlink:href="javascript:alert(1)">x</a>
<q cite="javascript:alert(1)">x</q><blockquote cite="data:text/html,x">x</blockquote>
<a name=body id=cookie></a><img name=getElementById>
<p id="in-&quot;&gt;&lt;script&gt;">x</p>
<p title="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;">x</p>
<p lang='"><img src=x onerror=alert(1)>'>x</p>
<!--><img src=x onerror=alert(1)>-->
<!-- --!><img src=x onerror=alert(1)> -->
<![CDATA[><img src=x onerror=alert(1)>]]>
<?xml version="1.0"?><?php x ?><img src=x onerror=alert(1)>
<!DOCTYPE x [<!ENTITY y "<script>alert(1)</script>">]>
</div></div><script>alert(1)</script>
</p></section></main></body></html><img src=x onerror=alert(1)>
<custom-element onclick=alert(1) is=x-y slot=z>x</custom-element>
<plaintext><script>alert(1)</script>
<keygen autofocus onfocus=alert(1)>
[x](javascript:alert(1))
[x](JAVASCRIPT:alert(1))
[x](<javascript:alert(1)>)
[x](&#106;avascript:alert(1))
[x](java&#10;script:alert(1))
[x](javascript&colon;alert(1))
[x](\javascript:alert(1))
[x](vbscript:alert(1))
[x](data:text/html;base64,PHNjcmlwdD4=)
[x](  javascript:alert(1) "title")
[x](/y "\"><img src=x onerror=alert(1)>")
[x](/y '"onmouseover="alert(1)')
[x](<"onclick="alert(1)>)
[x]: javascript:alert(1)
![x](javascript:alert(1))
![x](data:image/svg+xml,<svg/onload=alert(1)>)
!["onerror="alert(1)](x)
!["><script>alert(1)</script>](x)
![x](x "a\" onerror=\"alert(1)")
<javascript:alert(1)>
<data:text/html,x>
<https://a.org/"onclick="alert(1)>
https://a.org/"onmouseover="alert(1)
www.a.org/<script>alert(1)</script>
[<img src=x onerror=alert(1)>](/y)
`<script>alert(1)</script>`
# <script>alert(1)</script>
# "onclick="alert(1) <img src=x onerror=alert(1)>
- [ ] "><script>alert(1)</script>
- [x] " onfocus="alert(1)" autofocus="
|<script>alert(1)</script>|"onclick=|
> [!NOTE"><script>alert(1)</script>]
<b <script>alert(1)</script>0
<a href="x"'onclick=alert(1)>x</a>
<a/href="javas	cript:alert(1)">x</a>
'''.strip().splitlines()

PAYLOADS += [
    '```"><script>alert(1)</script>\nx\n```',
    '```python" onclick="alert(1)\nx\n```',
    "```html\n<script>alert(1)</script>\n```",
    "```python\n'</code></pre><script>alert(1)</script>'\n```",
    "    <script>alert(1)</script>",
    'x[^"><script>]\n\n[^"><script>]: <script>alert(1)</script>',
    "x[^a]\n\n[^a]: [y](javascript:alert(1)) <img src=x onerror=alert(1)>",
    'x[^"onclick="alert(1)]\n\n[^"onclick="alert(1)]: y',
    "[x][y]\n\n[y]: javascript:alert(1)",
    "[x][y]\n\n[y]: <java\tscript:alert(1)> '\"onclick=\"'",
    '|a|b|\n|:-|-:|\n|<img src=x onerror=alert(1)>|" style="|',
    "<a href='java\nscript:alert(1)'>x</a>",
    "<a href='java\rscript:alert(1)'>x</a>",
    "<a href='java\0script:alert(1)'>x</a>",
    "<a href='\x01\x1fjavascript:alert(1)'>x</a>",
    "<a href='\u00a0javascript:alert(1)'>x</a>",
    "<a href='java\u2028script:alert(1)'>x</a>",
    "<img src='x'\x0conerror=alert(1)>",
    "<img\x0bsrc=x\x0bonerror=alert(1)>",
    "<scr\0ipt>alert(1)</scr\0ipt>",
    "<div>\n\n</div></div>\n\n<script>alert(1)</script>",
    "<p>" + "*" * 20_000 + "<script>alert(1)</script>",
    "<script>alert(1)</script>" + "x" * 20_000,
    "- a\n\n  <script>\n  alert(1)\n\n  </script>",
    "<table><tr><td>x\n\n</div><script>alert(1)</script>",
    "<a href='x'>\n\n[y](javascript:alert(1))",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_is_harmless(payload):
    assert dangers(render(payload)) == []


@matrix(
    "before",
    ["> ", "- ", "1. ", "# ", "*", "x[^1]\n\n[^1]: ", "| a |\n|---|\n| ", "<details>\n\n", "x "],
    default=lambda before: before in ("- ", "x[^1]\n\n[^1]: ", "| a |\n|---|\n| ", "<details>\n\n"),
)
def test_a_payload_is_harmless_in_every_context(before):
    assert [payload for payload in PAYLOADS if dangers(render(before + payload))] == []


def test_all_payloads_together_are_harmless():
    assert dangers(render("\n\n".join(PAYLOADS))) == []
    assert dangers(render("".join(PAYLOADS))) == []


@pytest.mark.parametrize(
    "unsafe",
    [
        "<script>1</script>",
        "<p onclick=x>",
        "<a href='java\tscript:x'>x</a>",
        "<svg></svg>",
        "<p id=x>",
        "<!--x-->",
        "</div><p>",
        "<img src=data:x>",
        "<p style=x>",
        "<math></math>",
        "<a href='&#1;javascript:x'>x</a>",
    ],
)
def test_the_check_itself_detects_danger(unsafe):
    assert dangers(unsafe)


def test_there_are_many_payloads():
    assert len(PAYLOADS) >= 150
