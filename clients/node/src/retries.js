/** What is tried again, and when. */

import { APIError, ConnectionError } from "./errors.js";

/**
 * In how many seconds to try again; null: not at all.
 *
 * @param {unknown} error of this attempt
 * @param {number} attempt from 1
 * @param {import("./exchange.js").Call} call
 */
export function pauseAfter(error, attempt, call) {
  if (attempt > call.maxRetries || !mayPass(error, call)) return null;
  const asked = error instanceof APIError ? error.retryAfter : null;
  if (asked === null) return pauseBefore(attempt - 1);
  return asked <= call.maxRetryWait ? asked : null;
}

/** How long to wait before a retry, from 0, in seconds: longer each time, and not all clients at once. */
export function pauseBefore(retry) {
  return (0.5 + Math.random() / 2) * Math.min(8, 0.5 * 2 ** retry);
}

function mayPass(error, call) {
  if (error instanceof APIError) {
    return error.status === 429 || error.status === 503 || error.slug === "request-in-progress";
  }
  // What has an If-Match and was done would be told, the second time, that somebody else was faster.
  return error instanceof ConnectionError && !(call.isGuarded && error.wasSent);
}
