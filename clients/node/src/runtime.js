/** Differences between Node.js and browsers. */

import { VERSION } from "./version.js";

/** Returns an environment variable, or undefined. */
export function environment(name) {
  return globalThis.process?.env?.[name];
}

/** In a browser, User-Agent cannot be set, and CORS restricts the headers. */
export function isInBrowser() {
  return globalThis.document !== undefined || !globalThis.process?.versions?.node;
}

/** Returns the User-Agent, or undefined in a browser. */
export function userAgent() {
  return isInBrowser() ? undefined : `blogsvc-node/${VERSION} (Node.js ${globalThis.process.versions.node})`;
}

/**
 * Imports a built-in module of Node.js. The specifier is computed, so that bundlers for browsers ignore it.
 *
 * @param {string} name
 */
export function builtin(name) {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);
}

/** Returns WebCrypto, which is not a global in Node.js 18. */
export async function webCrypto() {
  return globalThis.crypto ?? (await builtin("crypto")).webcrypto;
}

/** Returns a UUID of version 4. Browsers do not offer `randomUUID` on pages loaded over plain HTTP. */
export async function uuid() {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
