/** Polling of a post until it has finished publishing. */

import { WaitTimeoutError } from "./errors.js";
import { sleep, Timeout } from "./timeout.js";

// Seconds between two requests.
const INITIAL_DELAY = 0.25;
const MAX_DELAY = 5;
const PENDING_DELIVERIES = new Set(["queued", "sending", "retrying"]);

/**
 * Resolves to the post once it has finished.
 *
 * @param {{get: Function}} posts
 * @param {string} postId
 * @param {import("./types.js").WaitOptions} [options]
 */
export async function waitUntilFinished(posts, postId, { timeout = 300, onProgress, signal } = {}) {
  const timer = new Timeout(timeout, signal);
  /** @type {any} */
  let post = null;
  try {
    for (let delay = INITIAL_DELAY; ; delay = Math.min(MAX_DELAY, delay * 1.5)) {
      const changed = await posts.get(postId, {}, { ifNoneMatch: post?.response.etag, signal: timer.signal });
      if (changed) {
        post = changed;
        onProgress?.(post);
      }
      if (isFinished(post)) return post;
      await sleep(delay, timer.signal);
    }
  } catch (error) {
    if (timer.isExpired && error === timer.signal.reason) {
      throw new WaitTimeoutError(timeoutMessage(postId, timeout, post), post);
    }
    throw error;
  } finally {
    timer.stop();
  }
}

function isFinished({ status, deliveries }) {
  return status !== "scheduled" && !deliveries.some(({ state }) => PENDING_DELIVERIES.has(state));
}

function timeoutMessage(postId, timeout, post) {
  const state = post ? `Its status is ${post.status}.` : "There was no response.";
  return `Post ${postId} has not finished within ${timeout} s. ${state}`;
}
