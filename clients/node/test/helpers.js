/** A client with a mock `fetch`, and the responses that it returns. */

import { Client } from "../src/index.js";

export const KEY = "bsk_0123456789012345678901234567890123456789";

/** Returns a client that gets these responses in order, the last one repeatedly, and the requests that it sends. */
export function mockClient(responses, options = {}) {
  const sent = [];
  const log = [];
  const fetch = async (url, init) => {
    sent.push({ url, ...init });
    const response = responses[Math.min(sent.length, responses.length) - 1];
    return typeof response === "function" ? response(url, init) : response.clone();
  };
  const client = new Client({
    apiKey: KEY,
    baseUrl: "https://blog.example.org/",
    fetch,
    log: (entry) => log.push(entry),
    ...options,
  });
  return { client, sent, log };
}

export function jsonResponse(document, { status = 200, headers = {} } = {}) {
  return new Response(JSON.stringify(document), {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

export function problemResponse(status, slug, headers = {}, more = {}) {
  const document = {
    type: `https://blog.example.org/api/v1/problems/${slug}`,
    title: slug,
    status,
    detail: "No.",
    ...more,
  };
  return jsonResponse(document, { status, headers });
}

export function connectionError(code) {
  return () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error(`failed with ${code}`), { code }) });
  };
}
