// @ts-check
// Charts: the value of one column, chosen by touch, mouse or arrow keys. The slider over a chart is the control. Its
// values are those of the table below the chart, which is there without scripts too.
import { closest } from "./app.js";

/** Return the slider of the chart that an event is about. @param {Event} event */
function sliderOf(event) {
  const slider = closest(event, ".scrub");
  return slider instanceof HTMLInputElement ? slider : null;
}

/**
 * Show the value of the chosen column.
 * @param {HTMLInputElement} slider
 */
function show(slider) {
  const chart = /** @type {HTMLElement} */ (slider.closest("[data-chart]"));
  const number = slider.valueAsNumber;
  chart.querySelectorAll("rect.column").forEach((column, at) => {
    column.classList.toggle("picked", at === number);
  });
  const cells = chart.querySelectorAll("tbody tr")[number]?.children ?? [];
  const [name, value, before] = Array.from(cells, (cell) => cell.textContent ?? "");
  const plural = (chart.querySelectorAll("thead th")[1]?.textContent ?? "").toLowerCase();
  const what = value === "1" ? plural.slice(0, -1) : plural;
  const date = document.createElement("b");
  date.textContent = name;
  const previous = document.createElement("span");
  previous.className = "note";
  previous.textContent = before === "–" ? "" : `previous period: ${before}`;
  chart.querySelector(".chosen")?.replaceChildren(date, `: ${value} ${what} `, previous);
  slider.ariaValueText = `${name}: ${value} ${what}${previous.textContent && `, ${previous.textContent}`}`;
}

/** Prepare the charts of the page: the thumb of a slider is as wide as a column, so that it is above the chosen one. */
function prepare() {
  for (const slider of document.querySelectorAll(".scrub")) {
    if (!(slider instanceof HTMLInputElement)) continue;
    slider.style.setProperty("--columns", String(Number(slider.max) + 1));
    show(slider);
  }
}

document.addEventListener("input", (event) => {
  const slider = sliderOf(event);
  if (slider) show(slider);
});

document.addEventListener("pointermove", (event) => {
  const slider = event.pointerType === "mouse" ? sliderOf(event) : null;
  if (!slider) return;
  const { left, width } = slider.getBoundingClientRect();
  const shown = slider.value;
  slider.valueAsNumber = Math.floor(((event.clientX - left) / width) * (Number(slider.max) + 1));
  if (slider.value !== shown) show(slider);
});

document.addEventListener("htmx:after:swap", prepare);
prepare();
