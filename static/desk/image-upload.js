// @ts-check
// Upload images to the media library.
import { IMAGE_TYPES, requestHeaders } from "./app.js";

const MAX_BYTES = 20 * 1024 * 1024;
const URL_OF_MEDIA = "/desk/media";
const MAX_ATTEMPTS = 5;

/**
 * Upload an image. Throws an error with a message for the user.
 * @type {Upload}
 */
export async function upload(file, onProgress) {
  const problem = problemOf(file);
  if (problem) throw new Error(problem);
  const form = new FormData();
  form.append("file", file, file.name || "image");
  return add(URL_OF_MEDIA, form, `${file.name} wasn't uploaded`, onProgress);
}

/**
 * Have the server copy an image of another website. Throws an error with a message for the user.
 * @param {string} url
 * @param {string} name
 */
export function copyFrom(url, name) {
  return add(`${URL_OF_MEDIA}/copy`, JSON.stringify({ url }), `${name} couldn't be copied`, () => {});
}

/**
 * @param {string} address
 * @param {FormData | string} body JSON, if it is a string.
 * @param {string} failure How an error begins.
 * @param {(share: number) => void} onProgress
 */
async function add(address, body, failure, onProgress) {
  for (let attempt = 1; ; attempt++) {
    const response = await send(address, body, failure, onProgress);
    // The server processes a few images at a time, and says when to try again.
    if (response.status !== 503 || attempt === MAX_ATTEMPTS) return read(response, failure);
    const seconds = Number(response.getResponseHeader("Retry-After")) || 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
}

/**
 * Return why a file can't be uploaded, or null.
 * @param {Pick<File, "name" | "type" | "size">} file
 */
export function problemOf(file) {
  if (!IMAGE_TYPES.includes(file.type)) return `${file.name} isn't an image. Use JPEG, PNG, GIF, WebP or AVIF.`;
  if (file.size > MAX_BYTES) return `${file.name} is larger than 20 MiB. Choose a smaller image.`;
  return null;
}

/**
 * Send a file or JSON. XMLHttpRequest reports the progress of an upload, which fetch does not.
 * @param {string} address
 * @param {FormData | string} body
 * @param {string} failure
 * @param {(share: number) => void} onProgress
 * @returns {Promise<XMLHttpRequest>}
 */
function send(address, body, failure, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    const headers = requestHeaders({ Accept: "application/json", "HX-Request": "true" });
    if (typeof body === "string") headers["Content-Type"] = "application/json";
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value);
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total);
    });
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () => {
      reject(new Error(`${failure}: no connection to the server. Try again.`));
    });
    request.send(body);
  });
}

/**
 * @param {XMLHttpRequest} response
 * @param {string} failure
 * @returns {UploadedImage}
 */
function read(response, failure) {
  const isJson = response.getResponseHeader("Content-Type")?.startsWith("application/json");
  if (response.status === 201 && isJson) return JSON.parse(response.responseText);
  const reason = isJson ? JSON.parse(response.responseText).detail : reasonOf(response);
  throw new Error(`${failure}. ${reason}`);
}

/**
 * Return why the server refused a request with the headers of htmx.
 * @param {{ status: number, responseText: string }} response
 */
export function reasonOf({ status, responseText }) {
  if (status === 401) return "Your session has ended. Sign in again in another tab.";
  const page = new DOMParser().parseFromString(responseText, "text/html");
  return page.getElementById("notice")?.textContent?.trim() || `The server returned status ${status}. Try again.`;
}

/**
 * Show the progress of an upload in a corner of the page. Return functions that update it and remove it.
 * @param {{ name: string }} file
 */
export function showProgress({ name }) {
  const bar = document.createElement("progress");
  const label = document.createElement("label");
  label.append(name, bar);
  uploadsBox().prepend(label);
  return {
    /** @param {number} share */
    update(share) {
      if (share < 1) bar.value = share;
      else bar.removeAttribute("value");
    },
    end: () => label.remove(),
  };
}

/** Return the box in a corner of the page, or of the dialog that is open, for uploads in progress and failed ones. */
export function uploadsBox() {
  const box = document.querySelector(".uploads") ?? document.createElement("div");
  const home = document.querySelector("dialog[open]") ?? document.body;
  if (box.parentElement === home) return box;
  box.className = "uploads";
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Uploads");
  home.append(box);
  return box;
}
