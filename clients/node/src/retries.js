/** Decides whether a request is retried, and after how long. */

import { APIError, ConnectionError } from "./errors.js";

/**
 * Returns the seconds until the retry, or null if there is none.
 *
 * @param {unknown} error the error of this attempt
 * @param {number} attempt the number of this attempt, starting at 1
 * @param {number} elapsed the seconds since the first attempt started
 * @param {import("./attempt.js").PreparedRequest} request
 */
export function retryDelay(error, attempt, elapsed, request) {
  if (!isRetryable(error, request)) return null;
  const retryAfter = error instanceof APIError ? error.retryAfter : null;
  const delay = retryAfter ?? backoff(attempt - 1);
  const isExhausted = attempt > request.maxRetries && elapsed + delay > request.retryFor;
  const isTooLong = retryAfter !== null && retryAfter > request.maxRetryWait;
  return isExhausted || isTooLong ? null : delay;
}

/** Returns whether the server may have carried out a request, although there was no response from it. */
export function isLost(error) {
  return error instanceof ConnectionError ? error.wasSent : isGatewayError(error);
}

/** Returns the seconds to wait before a retry, counted from 0. Jitter keeps clients from retrying at once. */
export function backoff(retry) {
  return (0.5 + Math.random() / 2) * Math.min(4, 0.5 * 2 ** retry);
}

function isRetryable(error, request) {
  // If the lost attempt succeeded, it changed the ETag: a retry would fail as if someone else had made the change.
  if (request.hasIfMatch && isLost(error)) return false;
  if (isGatewayError(error)) return request.retryFor > 0;
  if (!(error instanceof APIError)) return error instanceof ConnectionError;
  return error.status === 429 || error.status === 503 || error.slug === "request-in-progress";
}

/** Returns whether a proxy could not reach the server, or lost its response. The API itself names the problem. */
function isGatewayError(error) {
  return error instanceof APIError && [502, 504].includes(error.status) && error.slug === null;
}
