// @ts-check
// Scroll the preview along with the text: from heading to heading, and in proportion between them.

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

  /** @param {Element} scrolling */
  function positions(scrolling) {
    const inText = [0];
    const inPreview = [0];
    /** @type {HTMLElement[]} */
    const lines = Array.from(page.querySelectorAll(".outline [data-line]"));
    const headings = scrolling.querySelectorAll(":is(.set-text, .e-content) :is(h2, h3, h4, h5, h6)");
    if (lines.length === headings.length) {
      const above = text.getBoundingClientRect().top - writing.getBoundingClientRect().top + writing.scrollTop;
      // The top of a whole document moves as it scrolls, that of an element does not.
      const abovePreview = scrolling.getBoundingClientRect().top - (scrolling === preview ? scrolling.scrollTop : 0);
      for (const [index, line] of lines.entries()) {
        inText.push(above + top(Number(line.dataset.line)));
        inPreview.push(headings[index].getBoundingClientRect().top - abovePreview);
      }
    }
    inText.push(writing.scrollHeight - writing.clientHeight);
    inPreview.push(scrolling.scrollHeight - scrolling.clientHeight);
    return { inText, inPreview };
  }

  function onScroll() {
    if (isWaiting || narrow.matches) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      // The page of the blog scrolls in its frame.
      const scrolling = preview.querySelector("iframe")?.contentDocument?.scrollingElement ?? preview;
      const { inText, inPreview } = positions(scrolling);
      scrolling.scrollTop = previewPosition(writing.scrollTop, inText, inPreview);
    });
  }

  writing.addEventListener("scroll", onScroll, { passive: true });
}
