/** What differs between Node.js and browsers. */

import { VERSION } from "./version.js";

/** A variable of the environment, where there is one. */
export function environment(name) {
  return globalThis.process?.env?.[name];
}

/** Where a client may not name itself, and not every header goes to another origin. */
export function isInBrowser() {
  return globalThis.document !== undefined || !globalThis.process?.versions?.node;
}

/** How this library names itself; a browser keeps its own name. */
export function userAgent() {
  return isInBrowser() ? undefined : `blogsvc-node/${VERSION} (Node.js ${globalThis.process.versions.node})`;
}

/**
 * A module of Node.js itself. The specifier is put together, so that what bundles for browsers leaves it alone.
 *
 * @param {string} name
 */
export function builtin(name) {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);
}

/** WebCrypto, which is no global in Node.js 18. */
export async function webCrypto() {
  return globalThis.crypto ?? (await builtin("crypto")).webcrypto;
}

/** A UUID of version 4. `randomUUID` would do, but for pages over plain HTTP, which have none. */
export async function uuid() {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
