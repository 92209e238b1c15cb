// Pictures in a text: a placeholder stands where each will be, until it is there. It is loaded with the first one.
import { say } from "./app.js";
import { showProgress, upload } from "./image-upload.js";

/** For image-paste.js. What is typed beside a placeholder stays, and all of it can be undone. */
export function placing(textarea, { upload: send = upload }) {
  const marks = new Set();
  const waiting = [];
  let isComposing = false;

  textarea.addEventListener("compositionstart", () => {
    isComposing = true;
  });
  textarea.addEventListener("compositionend", () => {
    isComposing = false;
    waiting.splice(0).forEach((go) => go());
  });
  addEventListener("beforeunload", (event) => {
    if (marks.size) event.preventDefault();
  });

  // Put pictures in at the caret: on an empty line each as a paragraph, in a line beside its words.
  function add(files) {
    const { value, selectionStart: from, selectionEnd: to } = textarea;
    const wanted = [...files].map((file) => ({ file, mark: markOf(file) }));
    const isAlone = /(^|\n)[ \t]*$/.test(value.slice(0, from)) && /^[ \t]*(\n|$)/.test(value.slice(to));
    write(from, to, wanted.map((each) => each.mark).join(isAlone ? "\n\n" : " "));
    const rest = textarea.selectionStart;
    return wanted.reduce((before, each) => before.then(() => take(each, rest)), Promise.resolve());
  }

  // Its own for each, so that it is found again wherever it has moved to.
  function markOf(file) {
    const name = file.name.replace(/[[\]()\\`*_<>\n]/g, " ").trim() || "picture";
    let mark = `![Uploading ${name}…]()`;
    for (let number = 2; marks.has(mark) || textarea.value.includes(mark); number++)
      mark = `![Uploading ${name} (${number})…]()`;
    marks.add(mark);
    return mark;
  }

  async function take({ file, mark }, rest) {
    const { tell, end } = showProgress(file);
    try {
      const picture = await send(file, tell);
      await quiet();
      putIn(mark, picture, rest);
    } catch (error) {
      await quiet();
      replace(mark, "");
      say(error.message, "trouble");
    } finally {
      marks.delete(mark);
      end();
    }
  }

  // While an input method is composing a word, the text is its own.
  function quiet() {
    return isComposing ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
  }

  function putIn(mark, picture, rest) {
    const isUntouched =
      document.activeElement === textarea && textarea.selectionStart === rest && textarea.selectionEnd === rest;
    const at = replace(mark, picture.markdown);
    if (at < 0) return say("The picture is in the library; its place in the text was taken away meanwhile.");
    if (isUntouched) textarea.setSelectionRange(at + 2, at + 2 + picture.alt.length);
    return say(
      isUntouched
        ? "The picture is in. Now say between the brackets what it shows, for those who cannot see it."
        : "The picture is in. What it shows is still to be said, between its brackets.",
    );
  }

  /** Put words in the place of a mark, and the caret back where it was. Answers where they begin, or -1. */
  function replace(mark, words) {
    const at = textarea.value.indexOf(mark);
    if (at < 0) return at;
    const { selectionStart, selectionEnd, scrollTop } = textarea;
    const after = at + mark.length;
    const moved = (place) => (place < after ? Math.min(place, at) : place - mark.length + words.length);
    const focused = document.activeElement;
    write(at, after, words);
    textarea.setSelectionRange(moved(selectionStart), moved(selectionEnd));
    textarea.scrollTop = scrollTop;
    if (focused && focused !== textarea && focused !== document.body) focused.focus({ preventScroll: true });
    return at;
  }

  // As if it were typed: the browser's own undo takes it back.
  function write(from, to, words) {
    textarea.focus({ preventScroll: true });
    textarea.setSelectionRange(from, to);
    if (from === to && !words) return;
    if (!document.execCommand(words ? "insertText" : "delete", false, words)) {
      textarea.setRangeText(words, from, to, "end");
      textarea.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
  }

  return add;
}
