// Passkeys: what the server asks is handed to the browser, and its answer back.
import { headers } from "./app.js";

const isKnown = "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/** Post, and answer with what was answered. Throws an error whose message can be shown. */
async function post(address, body) {
  const response = await fetch(address, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body ?? {}),
  });
  if (response.status === 429) throw new Error("That was tried too often; wait a minute.");
  const told = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(told.detail ?? "That did not work; load the page and try again.");
  return told;
}

/** Run one ceremony, and go where its end leads. What a person breaks off themselves is not worth a word. */
async function run(button, ceremony) {
  const say = (text) => {
    document.querySelector("[data-passkey-said]").textContent = text;
  };
  button.disabled = true;
  say("");
  try {
    const to = new URL((await ceremony()).go, location.href);
    const isThisPage = to.pathname === location.pathname;
    location.assign(to);
    if (isThisPage) location.reload(); // else only the fragment would be another
  } catch (error) {
    if (error.name === "InvalidStateError") say("This device holds a passkey of yours already.");
    else if (error.name === "NotAllowedError" || error.name === "AbortError") say("No passkey was used.");
    else say(error.message);
  } finally {
    button.disabled = false;
  }
}

for (const part of document.querySelectorAll("[data-passkey-site]")) {
  const isHere = location.origin === part.dataset.passkeySite;
  part.hidden = !isKnown || !isHere;
  const told = document.querySelector(isKnown ? "[data-passkey-elsewhere]" : "[data-passkey-never]");
  if (told && part.hidden) told.hidden = false;
}

document.querySelector("[data-passkey-login]")?.addEventListener("click", (event) => {
  const { passkeyLogin: address } = event.currentTarget.dataset;
  run(event.currentTarget, async () => {
    const options = PublicKeyCredential.parseRequestOptionsFromJSON(await post(address));
    const credential = await navigator.credentials.get({ publicKey: options });
    return post(address.replace("/passkey", "/passkey/answer"), credential.toJSON());
  });
});

document.querySelector("[data-passkey-add]")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  run(form.querySelector("button"), async () => {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(await post(form.dataset.passkeyAdd));
    const credential = await navigator.credentials.create({ publicKey: options });
    const name = new URLSearchParams({ name: form.elements.name.value });
    return post(`${form.dataset.passkeyKeep}?${name}`, credential.toJSON());
  });
});
