// Pictures on their way into the library.
import { headers } from "./app.js";
import { TAKEN } from "./image-paste.js";

const MOST_BYTES = 20 * 1024 * 1024;
const WHERE = "/desk/media";
const TRIES = 5;

/** Send a picture to the library. `progress` hears shares from 0 to 1. Rejects with words to be shown. */
export async function upload(file, progress = () => {}) {
  const fault = faultOf(file);
  if (fault) throw new Error(fault);
  for (let tried = 1; ; tried++) {
    const answer = await send(file, progress);
    // The server takes a few at a time, and says when to come again.
    if (answer.status !== 503 || tried === TRIES) return read(answer, file);
    await new Promise((resolve) => setTimeout(resolve, 1000 * (Number(answer.getResponseHeader("Retry-After")) || 1)));
  }
}

function faultOf(file) {
  if (!TAKEN.includes(file.type))
    return `“${file.name}” is none of the pictures that are taken: JPEG, PNG, GIF, WebP, AVIF.`;
  if (file.size > MOST_BYTES) return `“${file.name}” is too large: a picture may have at most 20 MiB.`;
  return null;
}

// fetch would not say how far it is.
function send(file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file, file.name || "picture");
    request.open("POST", WHERE);
    for (const [name, value] of Object.entries(headers({ Accept: "application/json", "HX-Request": "true" }))) {
      request.setRequestHeader(name, value);
    }
    request.upload.addEventListener(
      "progress",
      (event) => event.lengthComputable && progress(event.loaded / event.total),
    );
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () =>
      reject(new Error(`“${file.name}” did not get through: there is no connection. Try again.`)),
    );
    request.send(form);
  });
}

function read(answer, file) {
  const isJson = answer.getResponseHeader("Content-Type")?.startsWith("application/json");
  if (answer.status === 201 && isJson) return JSON.parse(answer.responseText);
  const why = isJson ? JSON.parse(answer.responseText).detail : wordsOf(answer);
  throw new Error(`“${file.name}” was not taken. ${why}`);
}

function wordsOf(answer) {
  if (answer.status === 401) return "Your session has ended; sign in again in another window.";
  const page = new DOMParser().parseFromString(answer.responseText, "text/html");
  return page.getElementById("notice")?.textContent.trim() || `The server answered ${answer.status}; try again.`;
}

/** Show how far a file is, in a corner of the page. Answers what to tell, and what to call at the end. */
export function showProgress(file) {
  const bar = document.createElement("progress");
  const label = document.createElement("label");
  label.append(file.name, bar);
  corner().append(label);
  return {
    tell: (share) => {
      if (share < 1) bar.value = share;
      else bar.removeAttribute("value");
    },
    end: () => label.remove(),
  };
}

function corner() {
  let there = document.querySelector(".uploads");
  if (!there) {
    there = document.createElement("div");
    there.className = "uploads";
    there.setAttribute("role", "group");
    there.setAttribute("aria-label", "Pictures on their way");
    (document.querySelector("dialog[open]") ?? document.body).append(there);
  }
  return there;
}
