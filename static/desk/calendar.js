// Posts are dragged to other days, or to other places in the queue. What is dragged here can be moved by a form as well.
import { say } from "./app.js";

let carried = null;
let over = null;

/** Where the post that is carried could be put down: not where it is. */
function goal(event) {
  const place = carried && event.target.closest?.("[data-on]");
  return place && !place.contains(carried) ? place : null;
}

function mark(place) {
  if (over === place) return;
  over?.classList.remove("over");
  place?.classList.add("over");
  over = place;
}

document.addEventListener("dragstart", (event) => {
  carried = event.target.closest?.("[data-drop]");
  if (!carried) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", carried.querySelector(".title").textContent);
  carried.classList.add("carried");
});

document.addEventListener("dragover", (event) => {
  const place = goal(event);
  mark(place);
  if (place) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const place = goal(event);
  if (!place) return;
  event.preventDefault();
  put(carried, place);
});

document.addEventListener("dragend", () => {
  carried?.classList.remove("carried");
  mark(null);
  carried = null;
});

/** Show it there at once, and ask the server, whose answer is what stands. */
function put(post, place) {
  const part = place.closest("[data-carry]");
  const [home, next] = [post.parentElement, post.nextElementSibling];
  const list = place.matches("ul") ? place : place.querySelector("ul");
  if (list) list.append(post);
  else place.before(post);
  post.setAttribute("aria-busy", "true");
  part.addEventListener(
    "htmx:error",
    () => {
      home.insertBefore(post, next);
      post.removeAttribute("aria-busy");
      say("The server did not answer, so it stays where it was. Try again in a moment.", "trouble");
    },
    { once: true },
  );
  const values = Object.fromEntries([
    ...new URLSearchParams(place.dataset.on),
    ...new URLSearchParams(part.dataset.carry),
  ]);
  window.htmx.ajax("POST", post.dataset.drop, { source: part, target: part, swap: "outerHTML", values });
}

// An answer that empties the sheet closes it; the focus goes to what was moved.
document.addEventListener("htmx:after:swap", () => {
  const sheet = document.getElementById("sheet");
  if (sheet.childElementCount) return;
  sheet.close();
  document.querySelector("[data-carry] [autofocus]")?.focus();
});

document.getElementById("sheet")?.addEventListener("close", (event) => event.target.replaceChildren());
