// The details of a post, wherever they are shown: completion of tags, a counter, pictures in texts for one place.
import { say } from "./app.js";
import { pictures } from "./image-paste.js";
import { tags } from "./tag-completion.js";

function enhance(panel) {
  if (!panel || "ready" in panel.dataset) return;
  panel.dataset.ready = "";
  for (const input of panel.querySelectorAll("[data-tags]")) tags(input);
  for (const text of panel.querySelectorAll("textarea[data-pictures]")) pictures(text);
  for (const counter of panel.querySelectorAll("[data-counts]"))
    count(counter, document.getElementById(counter.dataset.counts));
}

function count(counter, text) {
  const tell = () => {
    const length = [...text.value].length;
    counter.textContent = `${length} character${length === 1 ? "" : "s"}`;
    counter.classList.toggle("is-long", length > Number(text.dataset.counted));
  };
  text.addEventListener("input", tell);
  tell();
}

enhance(document.getElementById("details-panel"));

document.addEventListener("htmx:after:swap", () => {
  const panel = document.getElementById("details-panel");
  enhance(panel);
  const said = panel?.dataset.said;
  if (!said) return;
  delete panel.dataset.said;
  panel.closest("dialog")?.close();
  say(said);
});
