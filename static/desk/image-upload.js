// @ts-check
// Upload images to the media library.
import { requestHeaders } from "./app.js";
import { IMAGE_TYPES } from "./image-paste.js";

const MAX_BYTES = 20 * 1024 * 1024;
const URL_OF_MEDIA = "/desk/media";
const MAX_ATTEMPTS = 5;

/**
 * Upload an image. Throws an error with a message for the person.
 * @type {Upload}
 */
export async function upload(file, onProgress) {
  const problem = problemOf(file);
  if (problem) throw new Error(problem);
  for (let attempt = 1; ; attempt++) {
    const response = await send(file, onProgress);
    // The server processes a few images at a time, and says when to try again.
    if (response.status !== 503 || attempt === MAX_ATTEMPTS) return read(response, file);
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
 * Send a file. XMLHttpRequest reports the progress of an upload, which fetch does not.
 * @param {File} file
 * @param {(share: number) => void} onProgress
 * @returns {Promise<XMLHttpRequest>}
 */
function send(file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file, file.name || "image");
    request.open("POST", URL_OF_MEDIA);
    const headers = requestHeaders({ Accept: "application/json", "HX-Request": "true" });
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total);
    });
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () => {
      reject(new Error(`${file.name} wasn't uploaded: no connection to the server. Try again.`));
    });
    request.send(form);
  });
}

/**
 * @param {XMLHttpRequest} response
 * @param {File} file
 * @returns {UploadedImage}
 */
function read(response, file) {
  const isJson = response.getResponseHeader("Content-Type")?.startsWith("application/json");
  if (response.status === 201 && isJson) return JSON.parse(response.responseText);
  const reason = isJson ? JSON.parse(response.responseText).detail : reasonOf(response);
  throw new Error(`${file.name} wasn't uploaded. ${reason}`);
}

/** @param {XMLHttpRequest} response */
function reasonOf({ status, responseText }) {
  if (status === 401) return "Your session has ended. Sign in again in another tab.";
  const page = new DOMParser().parseFromString(responseText, "text/html");
  return page.getElementById("notice")?.textContent?.trim() || `The server returned status ${status}. Try again.`;
}

/**
 * Show the progress of an upload in a corner of the page. Return functions that update it and remove it.
 * @param {File} file
 */
export function showProgress(file) {
  const bar = document.createElement("progress");
  const label = document.createElement("label");
  label.append(file.name, bar);
  progressList().append(label);
  return {
    /** @param {number} share */
    update(share) {
      if (share < 1) bar.value = share;
      else bar.removeAttribute("value");
    },
    end: () => label.remove(),
  };
}

function progressList() {
  const existing = document.querySelector(".uploads");
  if (existing) return existing;
  const list = document.createElement("div");
  list.className = "uploads";
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "Uploads in progress");
  (document.querySelector("dialog[open]") ?? document.body).append(list);
  return list;
}
