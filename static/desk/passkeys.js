// @ts-check
// Passkeys: pass the server's options to the browser, and the browser's credential back to the server.
import { requestHeaders } from "./app.js";

const isSupported = "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/**
 * Send a request and return the response. Throws an error with a message for the user.
 * @param {string} url
 * @param {object} [body]
 */
async function post(url, body = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: requestHeaders({ "Content-Type": "application/json" }),
    body: JSON.stringify(body),
  });
  if (response.status === 429) throw new Error("Too many attempts. Try again in a minute.");
  const answer = await response.json().catch(() => ({}));
  if (!response.ok && answer.go) location.assign(answer.go); // to confirm the identity first
  if (!response.ok) throw new Error(answer.detail ?? "Something went wrong. Reload the page and try again.");
  return answer;
}

/**
 * Run a WebAuthn ceremony (registration or sign-in), then open the page that the server returns.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<{ go: string }>} ceremony
 */
function run(button, ceremony) {
  return attempt(button, async () => {
    const page = new URL((await ceremony()).go, location.href);
    const isThisPage = page.pathname === location.pathname;
    location.assign(page);
    if (isThisPage) location.reload(); // a change of the fragment alone does not load the page
  });
}

/**
 * Run what the button is for, and show the error if it fails.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<void>} action
 */
async function attempt(button, action) {
  const status = /** @type {HTMLElement} */ (document.querySelector("[data-passkey-said]"));
  button.disabled = true;
  status.textContent = "";
  try {
    await action();
  } catch (error) {
    status.textContent = messageOf(/** @type {Error} */ (error));
  } finally {
    button.disabled = false;
  }
}

/** @param {Error} error */
function messageOf({ name, message }) {
  if (name === "InvalidStateError") return "This device already has one of your passkeys.";
  if (name === "NotAllowedError" || name === "AbortError") return "No passkey was used.";
  return message;
}

/** @type {NodeListOf<HTMLElement>} */
const parts = document.querySelectorAll("[data-passkey-site]");
for (const part of parts) {
  part.hidden = !isSupported || location.origin !== part.dataset.passkeySite;
  /** @type {HTMLElement | null} */
  const reason = document.querySelector(isSupported ? "[data-passkey-elsewhere]" : "[data-passkey-never]");
  if (reason && part.hidden) reason.hidden = false;
}

/** @type {HTMLButtonElement | null} */
const signInButton = document.querySelector("[data-passkey-login]");
signInButton?.addEventListener("click", () => {
  const url = signInButton.dataset.passkeyLogin ?? "";
  run(signInButton, async () => post(url.replace("/passkey", "/passkey/answer"), toJSON(await credentialFor(url))));
});

/** @type {HTMLButtonElement | null} */
const confirmButton = document.querySelector("[data-passkey-confirm]");
confirmButton?.addEventListener("click", async () => {
  const { passkeyConfirm = "" } = confirmButton.dataset;
  await attempt(confirmButton, async () => {
    await post(passkeyConfirm, toJSON(await credentialFor("/login/passkey")));
    confirmButton.form?.submit(); // without the password, which is not needed now
  });
});

/** @type {HTMLFormElement | null} */
const addForm = document.querySelector("[data-passkey-add]");
addForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  const { passkeyAdd = "", passkeyKeep } = addForm.dataset;
  const button = /** @type {HTMLButtonElement} */ (addForm.querySelector("button"));
  run(button, async () => {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(await post(passkeyAdd));
    const credential = await navigator.credentials.create({ publicKey: options });
    const { value } = /** @type {HTMLInputElement} */ (addForm.elements.namedItem("name"));
    return post(`${passkeyKeep}?${new URLSearchParams({ name: value })}`, toJSON(credential));
  });
});

/**
 * Ask the user for one of their passkeys.
 * @param {string} url where the server returns a challenge
 */
async function credentialFor(url) {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(await post(url));
  return navigator.credentials.get({ publicKey: options });
}

/** @param {Credential | null} credential */
function toJSON(credential) {
  return /** @type {PublicKeyCredential} */ (credential).toJSON();
}
