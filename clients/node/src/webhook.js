/** Verification of webhook messages by the Standard Webhooks specification (https://www.standardwebhooks.com). */

import { ConfigurationError, WebhookSignatureError } from "./errors.js";
import { deepFreeze } from "./response.js";
import { webCrypto } from "./runtime.js";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const PREFIX = "whsec_";
// The maximum difference between the timestamp and the current time, in seconds.
const TOLERANCE = 300;

export class Webhook {
  #secrets;

  /** @param {string | readonly string[]} secrets */
  constructor(secrets) {
    this.#secrets = [secrets].flat().map(decodeSecret);
    if (this.#secrets.length === 0) throw new ConfigurationError("No secret. Pass the signing secret of the webhook.");
  }

  /**
   * @param {string | ArrayBuffer | Uint8Array} body
   * @param {any} headers
   * @param {Date} [now]
   */
  async verify(body, headers, now = new Date()) {
    const text = decodeBody(body);
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
      header(headers, `webhook-${name}`),
    );
    checkTimestamp(timestamp, now);
    if (!(await this.#isSigned(`${id}.${timestamp}.${text}`, signatures))) {
      throw new WebhookSignatureError("No signature matches this secret.");
    }
    return parseMessage(text);
  }

  async #isSigned(text, signatures) {
    const { subtle } = await webCrypto();
    const signed = new TextEncoder().encode(text);
    for (const secret of this.#secrets) {
      const key = await subtle.importKey("raw", secret, ALGORITHM, false, ["verify"]);
      for (const signature of parseSignatures(signatures)) {
        // Compares in constant time.
        if (await subtle.verify(ALGORITHM, key, signature, signed)) return true;
      }
    }
    return false;
  }
}

function decodeSecret(secret) {
  const bytes = String(secret).startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : null;
  if (!bytes?.length) throw new ConfigurationError(`A webhook secret must be \`${PREFIX}\` followed by Base64.`);
  return bytes;
}

/** Returns the decoded signatures of version 1 (HMAC). Other versions are ignored. */
function parseSignatures(signatures) {
  const texts = signatures.split(" ").filter((one) => one.startsWith("v1,"));
  return texts.map((one) => decodeBase64(one.slice("v1,".length))).filter((bytes) => bytes !== null);
}

/** Decodes Base64. Returns null if the text is invalid. */
function decodeBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Returns the body as text. A signed message is always UTF-8. */
function decodeBody(body) {
  if (typeof body === "string") return body;
  if (!(body instanceof ArrayBuffer || body instanceof Uint8Array)) {
    throw new ConfigurationError("Pass the raw request body as bytes or text. Do not parse it first.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw new WebhookSignatureError("The message is not UTF-8.", { cause });
  }
}

/** Returns a header of a Headers object, or of a plain object with names in any case and values that may be lists. */
function header(headers, name) {
  const pairs = typeof headers.entries === "function" ? [...headers.entries()] : Object.entries(headers);
  const value = pairs.find(([found]) => found.toLowerCase() === name)?.[1];
  if (!value?.length) throw new WebhookSignatureError(`The header ${name} is missing.`);
  return String(value);
}

function checkTimestamp(timestamp, now) {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN;
  const age = now.getTime() / 1000 - seconds;
  if (!(Math.abs(age) <= TOLERANCE)) {
    throw new WebhookSignatureError(
      "The timestamp is more than five minutes off. The message may be a replay, or a clock may be wrong.",
    );
  }
}

function parseMessage(text) {
  try {
    return deepFreeze(JSON.parse(text));
  } catch (cause) {
    throw new WebhookSignatureError("The message is not JSON.", { cause });
  }
}
