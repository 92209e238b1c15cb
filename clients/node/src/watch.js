/** Time that runs out, and callers who give up. */

// What setTimeout can wait for; more would be taken for nothing.
const LONGEST = 2 ** 31 - 1;

/** A signal that is told when the time runs out, or when the caller's own signal is. */
export class Watch {
  /** Whether the time ran out, before the caller gave up. */
  isOver = false;

  #controller = new AbortController();
  #timer;
  #caller;
  #follow = () => this.#controller.abort(this.#caller?.reason);

  /**
   * @param {number} seconds
   * @param {AbortSignal} [caller]
   */
  constructor(seconds, caller) {
    this.seconds = seconds;
    this.#caller = caller;
    if (caller?.aborted) this.#follow();
    caller?.addEventListener("abort", this.#follow, { once: true });
    this.restart();
  }

  get signal() {
    return this.#controller.signal;
  }

  get isAborted() {
    return this.#controller.signal.aborted;
  }

  /** Begin to count anew. */
  restart(seconds = this.seconds) {
    this.pause();
    this.seconds = seconds;
    if (seconds * 1000 <= LONGEST) this.#timer = setTimeout(() => this.#end(), seconds * 1000);
  }

  /** Do not count until `restart`. */
  pause() {
    clearTimeout(this.#timer);
  }

  stop() {
    this.pause();
    this.#caller?.removeEventListener("abort", this.#follow);
  }

  /** Stop, and have whatever is under way end. */
  abort() {
    this.stop();
    this.#controller.abort();
  }

  #end() {
    this.isOver = !this.isAborted;
    this.#controller.abort();
  }
}

/**
 * Rejects with the signal's reason where that is told first.
 *
 * @param {number} seconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(seconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(LONGEST, seconds * 1000),
    );
    signal?.addEventListener("abort", stop, { once: true });
  });
}
