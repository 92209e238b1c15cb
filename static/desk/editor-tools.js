// What a writer reaches for: the toolbar, places in the text, a view of nothing else, a proof that scrolls along.
import { pictures } from "./image-paste.js";
import "./publish.js";
import { ACTS, typing } from "./markdown-keys.js";

const NARROW = matchMedia("(max-width: 55rem)");
let page, title, text, top, galley, shown, acts;

export function start(parts) {
  ({ page, title, text, top } = parts);
  galley = page.querySelector(".galley");
  shown = page.querySelector(".sheetside");
  typing(text);
  // Of what opens over the text, the styles too come only now.
  for (const href of page.dataset.styles.split(" ")) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
  }
  acts = { ...ACTS, picture: pictures(text).choose };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeDrops(event);
    if (event.key !== "." || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    calm();
  });
  document.addEventListener("click", act);
  page.querySelector(".tools").addEventListener("keydown", walk);
  // What drops up from the foot closes as a menu does.
  document.addEventListener("click", ({ target }) => {
    for (const drop of page.querySelectorAll(".drop[open]")) if (!drop.contains(target)) drop.open = false;
  });
  galley.addEventListener("scroll", follow, { passive: true });
  page.dataset.ready = "";
}

function closeDrops({ target }) {
  const drop = target.closest?.(".drop[open]");
  if (!drop) return;
  drop.open = false;
  drop.querySelector("summary").focus();
}

function act(event) {
  const target = event.target.closest("[data-act], [data-calm], [data-proof], [data-line], [data-tk]");
  if (!target) return;
  if (target.dataset.act) acts[target.dataset.act](text);
  else if ("calm" in target.dataset) calm();
  else if ("proof" in target.dataset) target.setAttribute("aria-pressed", page.classList.toggle("proofing"));
  else if ("tk" in target.dataset) goToNext(target.dataset.lines.split(" ").map(Number));
  else {
    event.preventDefault();
    goTo(Number(target.dataset.line));
  }
}

function calm() {
  const isCalm = document.body.classList.toggle("calm");
  for (const button of document.querySelectorAll("[data-calm]")) button.setAttribute("aria-pressed", isCalm);
  document.querySelector(".calm-end").hidden = !isCalm;
  text.focus();
}

// Of a toolbar one button is in the order of Tab, and the arrows go from one to the next.
function walk(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tools = [...event.currentTarget.querySelectorAll(".tool")];
  const next = tools[(tools.indexOf(document.activeElement) + step + tools.length) % tools.length];
  for (const tool of tools) tool.tabIndex = tool === next ? 0 : -1;
  next.focus();
}

/** Put the caret into a line, and the line near the top; with `from` and `to`, select in it. */
function goTo(line, from = 0, to = from) {
  const start = text.value.split("\n").slice(0, line).join("\n").length + (line ? 1 : 0);
  page.querySelector(".outline")?.removeAttribute("open");
  page.classList.remove("proofing");
  page.querySelector("[data-proof]").setAttribute("aria-pressed", false);
  text.focus({ preventScroll: true });
  text.setSelectionRange(start + from, start + to);
  galley.scrollTop = offset() + top(line) - 80;
}

// The next place that is still to be written, after the caret; after the last one the first.
function goToNext(lines) {
  const before = text.value.slice(0, text.selectionEnd).split("\n");
  const [here, column] = [before.length - 1, before.at(-1).length];
  const all = text.value.split("\n");
  const places = [...new Set(lines)].flatMap((line) =>
    [...(all[line] ?? "").matchAll(/\b(?:TK)+\b/g)].map((found) => [line, found.index, found.index + found[0].length]),
  );
  const next = places.find(([line, from]) => line > here || (line === here && from >= column)) ?? places[0];
  if (next) goTo(...next);
}

const offset = () => text.getBoundingClientRect().top - galley.getBoundingClientRect().top + galley.scrollTop;

// The proof scrolls along: from heading to heading, and between them in proportion.
let follows = false;
function follow() {
  if (follows || NARROW.matches) return;
  follows = true;
  requestAnimationFrame(() => {
    follows = false;
    const [ours, theirs] = stops();
    const at = galley.scrollTop;
    let part = 0;
    while (part < ours.length - 2 && ours[part + 1] <= at) part++;
    const share = (at - ours[part]) / Math.max(1, ours[part + 1] - ours[part]);
    shown.scrollTop = theirs[part] + Math.min(1, share) * (theirs[part + 1] - theirs[part]);
  });
}

function stops() {
  const ours = [0],
    theirs = [0];
  const lines = [...page.querySelectorAll(".outline [data-line]")];
  const heads = [...shown.querySelectorAll(".set-text :is(h2, h3, h4, h5, h6)")];
  if (lines.length === heads.length) {
    const above = offset();
    const over = shown.getBoundingClientRect().top - shown.scrollTop;
    for (const [index, line] of lines.entries()) {
      ours.push(above + top(Number(line.dataset.line)));
      theirs.push(heads[index].getBoundingClientRect().top - over);
    }
  }
  ours.push(galley.scrollHeight - galley.clientHeight);
  theirs.push(shown.scrollHeight - shown.clientHeight);
  return [ours, theirs];
}
