import "./environment.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { paragraphPlace, placeholderFor } = await import("../../static/desk/image-placeholders.js");
const { movedIndex } = await import("../../static/desk/text-field.js");
const { externalImages, imageEdit, isInCode } = await import("../../static/desk/image-copies.js");
const { imageAt, markdownOf } = await import("../../static/desk/image-panel.js");
const { filesOf } = await import("../../static/desk/image-paste.js");
const { problemOf } = await import("../../static/desk/image-upload.js");

test("a placeholder names its file without characters of Markdown, and is unique", () => {
  const taken = new Set(["![Uploading ferry.jpg…]()", "![Uploading ferry.jpg (2)…]()"]);
  assert.equal(
    placeholderFor("ferry.jpg", (one) => taken.has(one)),
    "![Uploading ferry.jpg (3)…]()",
  );
  assert.equal(
    placeholderFor("a](b)_*.png", () => false),
    "![Uploading a  b   .png…]()",
  );
  assert.equal(
    placeholderFor("", () => false),
    "![Uploading image…]()",
  );
});

test("pasted images become paragraphs behind the sentence that they were pasted into", () => {
  // "|" is where the pasted text begins and ends; afterwards it is the caret.
  const paste = (/** @type {string} */ marked, markdown = "![](/a.png)") => {
    const [head, text, tail] = marked.split("|");
    const edit = imageEdit(head + text + tail, head.length, head.length + text.length, markdown);
    if (!edit) return null;
    const value = head + text + tail;
    const changed = value.slice(0, edit.start) + edit.text + value.slice(edit.end);
    const caret = edit.select?.[0] ?? 0;
    return `${changed.slice(0, caret)}|${changed.slice(caret)}`;
  };
  assert.equal(paste("||"), "![](/a.png)|");
  assert.equal(paste("One se|image|ntence.\n\nTwo."), "One sentence.\n\n![](/a.png)|\n\nTwo.");
  assert.equal(paste("One.||", "![](/a.png)\n\n[![](/b.png)](/b)"), "One.\n\n![](/a.png)\n\n[![](/b.png)](/b)|");
  assert.equal(paste("One||.", "![](/a.png)\n\nText"), null);
  assert.equal(paste("- item ||"), null);
});

test("images in code are samples", () => {
  const isSample = (/** @type {string} */ text) => isInCode(text, text.indexOf("!["));
  assert.ok(isSample("`![A](https://x.example/a.png)` shows it"));
  assert.ok(isSample("```\n![A](https://x.example/a.png)\n```"));
  assert.ok(!isSample("`code` ![A](https://x.example/a.png)"));
});

test("an index keeps its place when text before it is replaced", () => {
  assert.equal(movedIndex(2, 5, 10, 3), 2);
  assert.equal(movedIndex(7, 5, 10, 3), 5);
  assert.equal(movedIndex(10, 5, 10, 3), 8);
  assert.equal(movedIndex(20, 5, 10, 9), 24);
});

test("a file that can't be uploaded is refused with the reason", () => {
  const size = 20 * 1024 * 1024;
  assert.equal(problemOf({ name: "a.png", type: "image/png", size }), null);
  assert.match(problemOf({ name: "doc.pdf", type: "application/pdf", size: 1 }), /^doc\.pdf isn't an image\. Use JPEG/);
  assert.match(problemOf({ name: "a.png", type: "image/png", size: size + 1 }), /^a\.png is larger than 20 MiB\./);
});

test("text that is pasted with its own image is text", () => {
  const files = [{ name: "a.png" }];
  assert.deepEqual(filesOf({ types: ["Files"], files }), files);
  assert.deepEqual(filesOf({ types: ["text/plain", "Files"], files }), []);
});

test("an image becomes a paragraph without splitting another one", () => {
  // "|" is the caret, and where the image goes.
  const put = (/** @type {string} */ text) => {
    const value = text.replace("|", "");
    const { index, before, after } = paragraphPlace(value, text.indexOf("|"));
    return `${value.slice(0, index)}${before}|${after}${value.slice(index)}`;
  };
  assert.equal(put("|"), "|");
  assert.equal(put("One se|ntence.\nAnd more.\n\nTwo."), "One sentence.\nAnd more.\n\n|\n\nTwo.");
  assert.equal(put("One.\n\n|Two."), "One.\n\n|\n\nTwo.");
  assert.equal(put("One.\n\nTwo.|"), "One.\n\nTwo.\n\n|");
  assert.equal(put("One.\n|\nTwo."), "One.\n\n|\n\nTwo.");
  assert.equal(put("One.\n\n|\n\nTwo."), "One.\n\n|\n\nTwo.");
  assert.equal(put("One|.\n"), "One.\n\n|\n");
});

test("an image in a text is found and written with its alt text, title and caption", () => {
  const text = 'One ![a](b.png).\n\n![x \\[y\\] z: 1](</media/a b.jpg> "T")\n\n*Cap \\* tion*\n\nEnd.';
  const image = imageAt(text, text.indexOf("x "));
  assert.equal(image?.alt, "x [y] z: 1");
  assert.equal(image?.caption, "Cap * tion");
  assert.equal(text.slice(image?.start, image?.end), image && markdownOf(image));
  assert.equal(image && markdownOf({ ...image, alt: "[b]", caption: "" }), '![\\[b\\]](</media/a b.jpg> "T")');
  assert.equal(imageAt(text, 5)?.caption, null); // beside other text
  assert.equal(imageAt(text, 1), null);
  assert.equal(imageAt("![a](b)\n\n*Emphasis* begins a paragraph.", 3)?.caption, "");
});

test("a caption keeps its Markdown", () => {
  const shown = (/** @type {string} */ markdown) => imageAt(`![](a.png)\n\n*${markdown}*`, 3);
  for (const [markdown, field] of [
    ["See \\[1\\] snake\\_case", "See \\[1\\] snake\\_case"],
    ["A \\* and \\\\\\* [link](/a)", "A * and \\\\* [link](/a)"],
  ]) {
    const image = shown(markdown);
    assert.equal(image?.caption, field);
    assert.equal(image && markdownOf(image), `![](a.png)\n\n*${markdown}*`);
  }
  const empty = imageAt("![](a.png)", 3);
  for (const caption of ["C:\\", "\\*", "a * b \\\\"]) {
    const written = empty && markdownOf({ ...empty, caption });
    assert.equal(written && markdownOf(/** @type {ImageInText} */ (imageAt(written, 3))), written);
  }
});

test("the images of other websites are found once each, with their whole addresses", () => {
  const text = [
    '![A \\] gull](https://one.example/gull_(bird).png?w=2 "Gull") and ![](<https://two.example/a.png>)',
    "![Again](https://two.example/a.png) ![Ours](https://blog.example/media/ours-1.png) ![Ours](/media/ours-2.png)",
    "[no image](https://three.example/b.png) ![no address](https://[)",
  ].join("\n\n");
  assert.deepEqual(externalImages(text, "https://blog.example"), [
    "https://one.example/gull_(bird).png?w=2",
    "https://two.example/a.png",
  ]);
});
