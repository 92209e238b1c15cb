/** A client whose requests go nowhere: they are kept, and answered as told, the last answer again and again. */

import { Client } from "../src/index.js";

export const KEY = "bsk_0123456789012345678901234567890123456789";

export function told(answers, options = {}) {
  const sent = [];
  const log = [];
  const fetch = async (url, init) => {
    sent.push({ url, ...init });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    return typeof answer === "function" ? answer(url, init) : answer.clone();
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

export function json(document, { status = 200, headers = {} } = {}) {
  return new Response(JSON.stringify(document), {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

export function problem(status, slug, headers = {}, more = {}) {
  const document = {
    type: `https://blog.example.org/api/v1/problems/${slug}`,
    title: slug,
    status,
    detail: "No.",
    ...more,
  };
  return json(document, { status, headers });
}

export function lost(code) {
  return () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error(`it said ${code}`), { code }) });
  };
}
