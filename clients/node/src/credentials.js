/** Selects and checks the API key and the URL. No message shows them: they may be swapped, and a URL may have a password. */

import { ConfigurationError } from "./errors.js";
import { environment } from "./runtime.js";

const PREFIX = "/api/v1";
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the API key and the URL: both as given, or both from the environment. A key is never combined with a URL from
 * another source, which could be that of another server.
 *
 * @param {string | undefined} apiKey
 * @param {string | undefined} baseUrl
 */
export function pickCredentials(apiKey, baseUrl) {
  if (apiKey === undefined && baseUrl === undefined) return fromEnvironment();
  if (baseUrl === undefined) {
    throw new ConfigurationError("Pass `baseUrl` together with `apiKey`. BLOGSVC_URL is used only without `apiKey`.");
  }
  if (apiKey === undefined) {
    throw new ConfigurationError(
      "Pass `apiKey` together with `baseUrl`. BLOGSVC_API_KEY is used only without `baseUrl`.",
    );
  }
  return { apiKey, baseUrl };
}

function fromEnvironment() {
  const apiKey = environment("BLOGSVC_API_KEY")?.trim();
  const baseUrl = environment("BLOGSVC_URL")?.trim();
  if (apiKey && baseUrl) return { apiKey, baseUrl };
  if (apiKey) {
    throw new ConfigurationError(
      "BLOGSVC_API_KEY is set, but BLOGSVC_URL is not. " +
        "Set BLOGSVC_URL to the URL of the server, for example https://blog.example.org.",
    );
  }
  if (baseUrl) {
    throw new ConfigurationError(
      "BLOGSVC_URL is set, but BLOGSVC_API_KEY is not. Set BLOGSVC_API_KEY to an API key of this server.",
    );
  }
  throw new ConfigurationError(
    "No API key and no URL. Pass `apiKey` and `baseUrl`, or set BLOGSVC_API_KEY and BLOGSVC_URL.",
  );
}

/** @param {string} apiKey */
export function checkKey(apiKey) {
  if (apiKey.includes("://")) {
    throw new ConfigurationError("`apiKey` is a URL. Pass the API key first, then the URL.");
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigurationError("The API key is empty or contains an invalid character, such as a space.");
  }
  return apiKey;
}

/**
 * Returns the URL of the server without `/api/v1` and a trailing slash.
 *
 * @param {string} baseUrl
 * @param {boolean} allowHttp
 */
export function normalizeUrl(baseUrl, allowHttp) {
  if (baseUrl.startsWith("bsk_")) {
    throw new ConfigurationError("`baseUrl` is an API key. Pass the API key first, then the URL.");
  }
  const url = parseUrl(baseUrl);
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError("`baseUrl` must not have a user name, a query or a fragment.");
  }
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new ConfigurationError(
      "`baseUrl` uses plain HTTP, which sends the API key unencrypted. Use https, or pass `allowHttp`.",
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path.endsWith(PREFIX) ? path.slice(0, -PREFIX.length) : path);
}

function parseUrl(baseUrl) {
  try {
    const url = new URL(baseUrl);
    if (url.protocol === "https:" || url.protocol === "http:") return url;
  } catch {
    // Reported below.
  }
  throw new ConfigurationError("`baseUrl` must be a URL like https://blog.example.org.");
}
