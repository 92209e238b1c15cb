// @ts-check
// The tools of the editor, loaded at the first interaction: toolbar, outline, focus mode, image uploads and the publish
// dialog.
import { closest } from "./app.js";
import { showUndoneText } from "./caret.js";
import { acceptImages } from "./image-paste.js";
import { EDITS, nextMarker } from "./markdown-edits.js";
import { addMarkdownKeys, applyEdit, copyImages } from "./markdown-keys.js";
import "./preview-page.js";
import { scrollPreviewAlong } from "./preview-scroll.js";
import "./publish.js";
import "./shortcuts.js";

const STYLES_DELAY = 2000; // milliseconds

/**
 * Tell the styles how much of the window the keyboard of a phone covers. Browsers that know `interactive-widget` make
 * the window smaller instead.
 */
function keepAboveKeyboard() {
  const view = window.visualViewport;
  view?.addEventListener("resize", () => {
    const covered = view.scale === 1 ? Math.round(window.innerHeight - view.height) : 0; // larger than 1: zoomed in
    document.body.style.setProperty("--keyboard", `${covered}px`);
  });
}

/**
 * Load a style sheet. Try again until it is there: the connection may be lost.
 * @param {string} href
 */
function addStyles(href) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  link.onerror = () => {
    link.remove();
    setTimeout(() => addStyles(href), STYLES_DELAY);
  };
  document.head.append(link);
}

/** @param {EditorParts} parts */
export function start(parts) {
  const { page, text, top, autosave } = parts;
  const writing = /** @type {HTMLElement} */ (page.querySelector(".draft-area"));
  const preview = /** @type {HTMLElement} */ (page.querySelector(".preview-pane"));
  const toolbar = /** @type {HTMLElement} */ (page.querySelector(".tools"));
  const previewButton = /** @type {HTMLElement} */ (page.querySelector("[data-preview]"));
  const images = acceptImages(text);
  /** @type {Promise<{ follow: () => void, focus: () => void }> | undefined} */
  let panel;
  addMarkdownKeys(text);
  scrollPreviewAlong(parts, writing, preview);
  showUndoneText(text, writing);
  document.addEventListener("selectionchange", () => {
    if (panel || isInImage()) showPanel("follow");
  });
  // Also load the styles of the publish dialog and of uploads only now.
  for (const href of (page.dataset.styles ?? "").split(" ")) addStyles(href);

  // The publish dialog can change the text, even if it is closed before the response arrives.
  document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
    const send = ctx.fetch;
    if (!ctx.sourceElement.closest("[data-sheet]")) return;
    ctx.fetch = async (...request) => {
      const response = await send(...request);
      if (response.headers.has("Draft-Changed")) autosave.comeBack();
      return response;
    };
  });
  document.addEventListener("blogsvc:copy-images", ({ detail }) => {
    detail.done = copyImages(text, detail.urls);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenu(event);
    if (event.key === "F2" && event.target === text) {
      event.preventDefault();
      showPanel("focus");
    }
    if (event.key !== "." || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    toggleFocusMode();
  });
  document.addEventListener("click", (event) => {
    const target = closest(event, "[data-act], [data-calm], [data-preview], [data-line], [data-tk]");
    if (!target) return;
    const { act, calm, preview: toggle, tk, line, lines } = target.dataset;
    if (act === "image") images.choose();
    else if (act === "describe") showPanel("focus");
    else if (act) applyEdit(text, EDITS[act](text));
    else if (calm !== undefined) toggleFocusMode();
    else if (toggle !== undefined) showPreview(!page.classList.contains("previewing"));
    else if (tk !== undefined) goToNextMarker((lines ?? "").split(" ").map(Number));
    else {
      event.preventDefault();
      goTo(Number(line));
    }
  });
  // A click outside closes the menus at the bottom, as for other menus.
  document.addEventListener("click", ({ target }) => {
    for (const menu of openMenus()) if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
  });
  toolbar.addEventListener("keydown", moveInToolbar);
  // A tap on a button leaves the focus in the text, so that the keyboard of a phone stays open.
  toolbar.addEventListener("mousedown", (event) => event.preventDefault());
  keepAboveKeyboard();
  if (isInImage()) showPanel("follow"); // the click that loaded the tools may have been there
  page.dataset.ready = "";
  return { addImages: images.add };

  /** Return whether the line of the caret may have an image. */
  function isInImage() {
    const { value, selectionEnd: caret } = text;
    const next = value.indexOf("\n", caret);
    return value.slice(value.lastIndexOf("\n", caret - 1) + 1, next < 0 ? undefined : next).includes("![");
  }

  /** @param {"follow" | "focus"} what */
  async function showPanel(what) {
    panel ??= import("./image-panel.js").then(({ imagePanel }) => imagePanel(text));
    try {
      (await panel)[what]();
    } catch {
      panel = undefined; // no connection: the Markdown can be edited without it
    }
  }

  /** @returns {NodeListOf<HTMLDetailsElement>} */
  function openMenus() {
    return page.querySelectorAll(".drop[open]");
  }

  /** @param {Event} event */
  function closeMenu(event) {
    /** @type {HTMLDetailsElement | null} */
    const menu = closest(event, ".drop[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }

  /** Show nothing but the text, or everything again. */
  function toggleFocusMode() {
    const isOn = document.body.classList.toggle("calm");
    for (const button of document.querySelectorAll("[data-calm]")) button.setAttribute("aria-pressed", String(isOn));
    const end = /** @type {HTMLElement} */ (document.querySelector(".calm-end"));
    end.hidden = !isOn;
    text.focus();
  }

  /**
   * Show the preview in place of the text. A wide window always shows both.
   * @param {boolean} isShown
   */
  function showPreview(isShown) {
    page.classList.toggle("previewing", isShown);
    previewButton.setAttribute("aria-pressed", String(isShown));
    if (!isShown) text.focus({ preventScroll: true });
  }

  /**
   * Move the focus within the toolbar by arrow keys. Only one of its buttons is reached by Tab.
   * @param {KeyboardEvent} event
   */
  function moveInToolbar({ key }) {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    /** @type {HTMLElement[]} */
    const buttons = Array.from(toolbar.querySelectorAll(".tool"));
    const now = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = buttons[(now + step + buttons.length) % buttons.length];
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  }

  /**
   * Put the caret into a line near the top of the window, and select a part of the line.
   * @param {number} line
   * @param {number} [from]
   * @param {number} [to]
   */
  function goTo(line, from = 0, to = from) {
    const lineStart = text.value.split("\n").slice(0, line).join("\n").length + (line ? 1 : 0);
    page.querySelector(".outline")?.removeAttribute("open");
    showPreview(false);
    text.focus({ preventScroll: true });
    text.setSelectionRange(lineStart + from, lineStart + to);
    const above = text.getBoundingClientRect().top - writing.getBoundingClientRect().top + writing.scrollTop;
    writing.scrollTop = above + top(line) - 80;
  }

  /**
   * Select the next "TK", the marker for text that is still to come. After the last one, start again at the top.
   * @param {number[]} lines The lines that have one.
   */
  function goToNextMarker(lines) {
    const next = nextMarker(text.value, text.selectionEnd, lines);
    if (next) goTo(next.line, next.from, next.to);
  }
}
