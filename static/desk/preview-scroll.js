// @ts-check
// Scroll the preview along with the text: from heading to heading, and in proportion between them. It also follows the
// caret, because the preview of a short text may be long.

const FOLLOW_DELAY = 100; // milliseconds after the caret has moved, or the preview has changed
const MARGIN = 60; // pixels at the top and bottom of the preview in which the line of the caret should not be

/**
 * Return the scroll position of the preview for a scroll position of the text. The lists have the positions of the same
 * headings, in order. All positions are in pixels.
 * @param {number} position
 * @param {number[]} inText
 * @param {number[]} inPreview
 */
export function previewPosition(position, inText, inPreview) {
  let part = 0;
  while (part < inText.length - 2 && inText[part + 1] <= position) part++;
  const share = (position - inText[part]) / Math.max(1, inText[part + 1] - inText[part]);
  return inPreview[part] + Math.min(1, share) * (inPreview[part + 1] - inPreview[part]);
}

/**
 * @param {EditorParts} parts
 * @param {HTMLElement} writing The scrolling element around the text.
 * @param {HTMLElement} preview The scrolling element around the preview.
 */
export function scrollPreviewAlong({ page, text, top }, writing, preview) {
  const narrow = matchMedia("(max-width: 55rem)");
  let isWaiting = false;

  /** The page of the blog scrolls in its frame. */
  const scrollingPart = () => preview.querySelector("iframe")?.contentDocument?.scrollingElement ?? preview;

  /** Return where the text begins in what scrolls. */
  const aboveText = () => text.getBoundingClientRect().top - writing.getBoundingClientRect().top + writing.scrollTop;

  /**
   * @param {Element} scrolling
   * @param {number} textEnd
   * @param {number} previewEnd
   */
  function positions(scrolling, textEnd, previewEnd) {
    const inText = [0];
    const inPreview = [0];
    /** @type {HTMLElement[]} */
    const lines = Array.from(page.querySelectorAll(".outline [data-line]"));
    const headings = scrolling.querySelectorAll(":is(.set-text, .e-content) :is(h2, h3, h4, h5, h6)");
    if (lines.length === headings.length) {
      const above = aboveText();
      // The top of a whole document moves as it scrolls, that of an element does not.
      const abovePreview = scrolling.getBoundingClientRect().top - (scrolling === preview ? scrolling.scrollTop : 0);
      for (const [index, line] of lines.entries()) {
        inText.push(above + top(Number(line.dataset.line)));
        inPreview.push(headings[index].getBoundingClientRect().top - abovePreview);
      }
    }
    inText.push(textEnd);
    inPreview.push(previewEnd);
    return { inText, inPreview };
  }

  /** Show the line of the caret in the preview, unless it is there. */
  function followCaret() {
    if (narrow.matches || document.activeElement !== text) return;
    const scrolling = scrollingPart();
    const line = text.value.slice(0, text.selectionEnd).split("\n").length - 1;
    const above = aboveText();
    const { inText, inPreview } = positions(scrolling, above + text.offsetHeight, scrolling.scrollHeight);
    const place = previewPosition(above + top(line), inText, inPreview);
    const { scrollTop, clientHeight } = scrolling;
    if (place < scrollTop + MARGIN || place > scrollTop + clientHeight - MARGIN) {
      scrolling.scrollTop = place - clientHeight / 3;
    }
  }

  /** @type {number} */
  let timer;
  function followSoon() {
    clearTimeout(timer);
    timer = setTimeout(followCaret, FOLLOW_DELAY);
  }

  function onScroll() {
    if (isWaiting || narrow.matches) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      const scrolling = scrollingPart();
      const [textEnd, previewEnd] = [writing, scrolling].map((one) => one.scrollHeight - one.clientHeight);
      const { inText, inPreview } = positions(scrolling, textEnd, previewEnd);
      scrolling.scrollTop = previewPosition(writing.scrollTop, inText, inPreview);
    });
  }

  writing.addEventListener("scroll", onScroll, { passive: true });
  document.addEventListener("selectionchange", followSoon);
  document.addEventListener("htmx:after:swap", ({ target }) => {
    if (target instanceof Element && target.closest(".preview-pane")) followSoon();
  });
}
