/** Decides whether a request is retried, and after how long. */

import { APIError, ConnectionError } from "./errors.js";

/**
 * Returns the seconds until the retry, or null if there is none.
 *
 * @param {unknown} error the error of this attempt
 * @param {number} attempt the number of this attempt, starting at 1
 * @param {import("./attempt.js").PreparedRequest} request
 */
export function retryDelay(error, attempt, request) {
  if (attempt > request.maxRetries || !isRetryable(error, request)) return null;
  const retryAfter = error instanceof APIError ? error.retryAfter : null;
  if (retryAfter === null) return backoff(attempt - 1);
  return retryAfter <= request.maxRetryWait ? retryAfter : null;
}

/** Returns the seconds to wait before a retry, counted from 0. Jitter keeps clients from retrying at once. */
export function backoff(retry) {
  return (0.5 + Math.random() / 2) * Math.min(8, 0.5 * 2 ** retry);
}

function isRetryable(error, request) {
  if (error instanceof APIError) {
    return error.status === 429 || error.status === 503 || error.slug === "request-in-progress";
  }
  // If the lost attempt succeeded, it changed the ETag: a retry would fail as if someone else had made the change.
  return error instanceof ConnectionError && !(request.hasIfMatch && error.wasSent);
}
