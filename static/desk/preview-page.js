// @ts-check
// The page of the blog in the preview: its width, its colors, and the typed text. The page is in a frame without
// scripts. Only what has changed is replaced in it, so that it neither flickers nor scrolls.

const ONE_YEAR = 31_536_000; // seconds

/** @returns {HTMLIFrameElement | null} */
const frame = () => document.querySelector("#preview iframe");

/** Show the typed text and the chosen colors. The frame has the saved text until then. */
function update() {
  const shown = frame();
  const article = shown?.contentDocument?.querySelector("article.h-entry");
  if (!shown || !article) return;
  const { scheme = "" } = look();
  article.ownerDocument.documentElement.style.colorScheme = scheme;
  if (!shown.dataset.article) return;
  const typed = new DOMParser().parseFromString(shown.dataset.article, "text/html").querySelector("article");
  if (typed) replaceChanges(article, typed);
}

/**
 * Make a node equal to another one. What is equal at the start and at the end stays.
 * @param {Element} shown
 * @param {Element} wanted
 */
export function replaceChanges(shown, wanted) {
  if (shown.isEqualNode(wanted)) return;
  if (!shown.cloneNode(false).isEqualNode(wanted.cloneNode(false))) return shown.replaceWith(wanted);
  const now = [...shown.childNodes];
  const then = [...wanted.childNodes];
  const most = Math.min(now.length, then.length);
  let start = 0;
  while (start < most && areEqual(now[start], then[start])) start++;
  let end = 0;
  while (end < most - start && areEqual(now[now.length - 1 - end], then[then.length - 1 - end])) end++;
  const old = now.slice(start, now.length - end);
  const fresh = then.slice(start, then.length - end);
  if (old.length === fresh.length && old.every((node, at) => areAlike(node, fresh[at]))) {
    old.forEach((node, at) => {
      if (isElement(node)) replaceChanges(/** @type {Element} */ (node), /** @type {Element} */ (fresh[at]));
    });
    return;
  }
  for (const node of old) node.remove();
  const next = now[now.length - end] ?? null;
  for (const node of fresh) shown.insertBefore(node, next);
}

/**
 * Return true for equal nodes, and for two texts of white space.
 * @param {Node} one
 * @param {Node} other
 */
function areEqual(one, other) {
  return one.isEqualNode(other) || [one, other].every((node) => node.nodeName === "#text" && !node.textContent?.trim());
}

/**
 * Return true for an element. Those of the frame are no instances of the `Element` of this page.
 * @param {Node} node
 */
function isElement(node) {
  return node.nodeType === Node.ELEMENT_NODE;
}

/**
 * Return true for two elements of one kind, and for other nodes that are equal.
 * @param {Node} one
 * @param {Node} other
 */
function areAlike(one, other) {
  return isElement(one) ? one.nodeName === other.nodeName : areEqual(one, other);
}

/**
 * Return the chosen width and colors.
 * @returns {{ width?: string, scheme?: string }}
 */
function look() {
  const form = document.querySelector("form.looks");
  return form instanceof HTMLFormElement ? Object.fromEntries(/** @type {any} */ (new FormData(form))) : {};
}

/** Check the radio buttons of what is shown if nothing was chosen yet. */
function checkDefaults() {
  const isChosen = look();
  const width = matchMedia("(max-width: 55rem)").matches ? "phone" : "desktop";
  const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  for (const [name, value] of Object.entries({ width, scheme, ...isChosen })) {
    /** @type {HTMLInputElement | null} */
    const radio = document.querySelector(`.looks [name=${name}][value=${value}]`);
    if (radio) radio.checked = true;
  }
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof Element && target.closest(".looks"))) return;
  const { width, scheme } = look();
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP
  document.cookie = `preview=${width}-${scheme}; path=/desk; max-age=${ONE_YEAR}; samesite=lax`;
  update();
});
document.addEventListener("htmx:after:swap", () => {
  checkDefaults();
  update();
});
document.addEventListener("details-saved", () => htmx.trigger("#preview [aria-current]", "refresh"));
document.addEventListener("load", update, true); // the frame has loaded the saved text
addEventListener("beforeprint", () => {
  const shown = frame();
  shown?.style.setProperty("--whole", `${shown.contentDocument?.documentElement.scrollHeight}px`);
});
checkDefaults();
update();
