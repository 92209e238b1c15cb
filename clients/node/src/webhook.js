/** Messages of webhooks, and whether they are genuine (Standard Webhooks, https://www.standardwebhooks.com). */

import { frozen } from "./answers.js";
import { ConfigurationError, WebhookSignatureError } from "./errors.js";
import { webCrypto } from "./runtime.js";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const PREFIX = "whsec_";
// How far its time may be from ours, in seconds.
const TOLERANCE = 300;

export class Webhook {
  #secrets;

  /** @param {string | readonly string[]} secrets */
  constructor(secrets) {
    this.#secrets = [secrets].flat().map(bytesOfSecret);
    if (this.#secrets.length === 0) throw new ConfigurationError("There is no secret.");
  }

  /**
   * @param {string | ArrayBuffer | Uint8Array} body
   * @param {any} headers
   * @param {Date} [now]
   */
  async verify(body, headers, now = new Date()) {
    const text = textOf(body);
    const [id, time, signatures] = ["id", "timestamp", "signature"].map((name) => header(headers, `webhook-${name}`));
    checkTime(time, now);
    if (!(await this.#hasSigned(`${id}.${time}.${text}`, signatures))) {
      throw new WebhookSignatureError("No signature of the message is by this secret.");
    }
    return message(text);
  }

  async #hasSigned(text, signatures) {
    const { subtle } = await webCrypto();
    const signed = new TextEncoder().encode(text);
    for (const secret of this.#secrets) {
      const key = await subtle.importKey("raw", secret, ALGORITHM, false, ["verify"]);
      for (const signature of ofThisVersion(signatures)) {
        // It compares in constant time.
        if (await subtle.verify(ALGORITHM, key, signature, signed)) return true;
      }
    }
    return false;
  }
}

function bytesOfSecret(secret) {
  const bytes = String(secret).startsWith(PREFIX) ? bytesOfBase64(secret.slice(PREFIX.length)) : null;
  if (!bytes?.length) throw new ConfigurationError(`A secret is \`${PREFIX}\` and Base64.`);
  return bytes;
}

/** Those by HMAC, which are `v1,` and Base64; the others are by means that are not known here. */
function ofThisVersion(signatures) {
  const texts = signatures.split(" ").filter((one) => one.startsWith("v1,"));
  return texts.map((one) => bytesOfBase64(one.slice("v1,".length))).filter((bytes) => bytes !== null);
}

/** Null where it is none. */
function bytesOfBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The text that was signed; what is no UTF-8 was not. */
function textOf(body) {
  if (typeof body === "string") return body;
  if (!(body instanceof ArrayBuffer || body instanceof Uint8Array)) {
    throw new ConfigurationError("The body is wanted as it came, as bytes or text, before anything parses it.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw new WebhookSignatureError("The message is no UTF-8.", { cause });
  }
}

/** From Headers, or from an object with names in any case, whose values may be lists. */
function header(headers, name) {
  const pairs = typeof headers.entries === "function" ? [...headers.entries()] : Object.entries(headers);
  const value = pairs.find(([found]) => found.toLowerCase() === name)?.[1];
  if (!value?.length) throw new WebhookSignatureError(`The message has no header ${name}.`);
  return String(value);
}

function checkTime(time, now) {
  const seconds = /^\d{1,12}$/.test(time) ? Number(time) : NaN;
  const age = now.getTime() / 1000 - seconds;
  if (!(Math.abs(age) <= TOLERANCE)) {
    throw new WebhookSignatureError("The message is not of the last five minutes; is this machine's clock right?");
  }
}

function message(text) {
  try {
    return frozen(JSON.parse(text));
  } catch (cause) {
    throw new WebhookSignatureError("The message is no JSON.", { cause });
  }
}
