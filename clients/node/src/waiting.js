/** Waiting for a post to settle. */

import { WaitTimeoutError } from "./errors.js";
import { sleep, Watch } from "./watch.js";

const FIRST_PAUSE = 0.25;
const LONGEST_PAUSE = 5;
const UNSETTLED = new Set(["scheduled", "publishing"]);
const ON_ITS_WAY = new Set(["queued", "sending", "retrying"]);

/**
 * The post, when it is on its way nowhere.
 *
 * @param {{get: Function}} posts
 * @param {string} postId
 * @param {import("./types.js").WaitOptions} [options]
 */
export async function settled(posts, postId, { timeout = 300, onProgress, signal } = {}) {
  const watch = new Watch(timeout, signal);
  /** @type {any} */
  let post = null;
  try {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 1.5)) {
      const changed = await posts.get(postId, {}, { ifNoneMatch: post?.response.etag, signal: watch.signal });
      if (changed) {
        post = changed;
        onProgress?.(post);
      }
      if (isSettled(post)) return post;
      await sleep(pause, watch.signal);
    }
  } catch (error) {
    if (watch.isOver && error === watch.signal.reason) throw new WaitTimeoutError(words(postId, timeout, post), post);
    throw error;
  } finally {
    watch.stop();
  }
}

function isSettled({ status, deliveries }) {
  return !UNSETTLED.has(status) && !deliveries.some(({ state }) => ON_ITS_WAY.has(state));
}

function words(postId, timeout, post) {
  return `The post ${postId} has not settled within ${timeout} s; it is ${post ? post.status : "not answered for"}.`;
}
