// @ts-check
// Fill in the form of a new draft with what another app has shared, and upload its images when the draft is started.
import { byId, notify, requestHeaders } from "./app.js";
import { reasonOf, showProgress, upload } from "./image-upload.js";

const CACHE = "shared-by-app";
const MAX_IMAGES = 20;
const form = /** @type {HTMLFormElement} */ (byId("shared"));
const title = /** @type {HTMLInputElement} */ (byId("title"));
const text = /** @type {HTMLTextAreaElement} */ (byId("content"));
const list = byId("images");
/** @type {{ file: File, box: HTMLInputElement }[]} */
const images = [];
/** @type {Map<File, string>} */
const uploaded = new Map(); // the Markdown of each

show(await received());

/** @returns {Promise<FormData | null>} */
async function received() {
  if (!("caches" in window)) return null; // a browser keeps nothing for pages without encryption
  const cache = await caches.open(CACHE);
  const found = await cache.match(form.dataset.received ?? "");
  return found ? found.formData() : null;
}

/** @param {FormData | null} shared */
function show(shared) {
  byId("nothing").hidden = shared !== null;
  if (!shared) return;
  const read = (/** @type {string} */ name) => String(shared.get(name) ?? "").trim();
  const [name, url] = [read("title"), read("url")];
  title.value = Array.from(name).slice(0, title.maxLength).join("");
  const words = title.value === name ? read("text") : `${name}\n\n${read("text")}`.trim();
  text.value = url && !words.includes(url) ? `${words}\n\n${url}`.trim() : words;
  const files = shared.getAll("images").filter((one) => one instanceof File && one.size > 0);
  for (const file of files.slice(0, MAX_IMAGES)) addImage(/** @type {File} */ (file));
  if (files.length > MAX_IMAGES) {
    const left = files.length - MAX_IMAGES;
    notify(`A draft starts with ${MAX_IMAGES} images at most. Add the other ${left} to it later.`, "trouble");
  }
}

/** @param {File} file */
function addImage(file) {
  const item = document.createElement("li");
  const label = document.createElement("label");
  label.className = "pick";
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
  const image = Object.assign(document.createElement("img"), { src: URL.createObjectURL(file), alt: "" });
  label.append(box, image, file.name);
  item.append(label);
  list.append(item);
  images.push({ file, box });
}

// Upload the chosen images, then start the draft. What was shared stays in the browser until the draft has it.
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const chosen = images.filter(({ box }) => box.checked).map(({ file }) => file);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  button.disabled = true;
  try {
    for (const file of chosen) await uploadOnce(file);
    const body = new FormData(form);
    body.set(
      "content",
      [text.value.trimEnd(), ...chosen.map((file) => uploaded.get(file))].filter(Boolean).join("\n\n"),
    );
    await startDraft(body);
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), "trouble");
    button.disabled = false;
  }
});

/** @param {FormData} body */
async function startDraft(body) {
  const headers = requestHeaders({ "HX-Request": "true", "HX-Request-Type": "partial" });
  const response = await fetch(form.action, { method: "POST", body, headers }).catch(() => null);
  if (!response) throw new Error("The server can't be reached. Try again.");
  const { status } = response;
  const address = response.headers.get("HX-Redirect");
  if (status === 401) {
    await keepChanges();
    location.reload(); // asks to sign in, and comes back
  } else if (response.ok && address) {
    await window.caches?.delete(CACHE);
    location.assign(address);
  } else throw new Error(`The draft was not started. ${reasonOf({ status, responseText: await response.text() })}`);
}

/** Keep the form in the browser, in place of what was shared. */
async function keepChanges() {
  const shared = new FormData();
  shared.set("title", title.value);
  shared.set("text", text.value);
  for (const { file } of images) shared.append("images", file);
  await (await window.caches?.open(CACHE))?.put(form.dataset.received ?? "", new Response(shared));
}

/** @param {File} file */
async function uploadOnce(file) {
  if (uploaded.has(file)) return;
  const { update, end } = showProgress(file);
  try {
    uploaded.set(file, (await upload(file, update)).markdown);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error} Try again, or clear its checkbox.`);
  } finally {
    end();
  }
}
