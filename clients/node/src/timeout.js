/** Timeouts that can be combined with the signal of the caller. */

// Milliseconds. setTimeout treats a longer delay as 0.
const MAX_DELAY = 2 ** 31 - 1;

/** A timer whose signal aborts when the time is up, or when the signal of the caller aborts. */
export class Timeout {
  /** Whether the time was up before the caller aborted. */
  isExpired = false;

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

  /** Restarts the timer. */
  restart(seconds = this.seconds) {
    this.pause();
    this.seconds = seconds;
    if (seconds * 1000 <= MAX_DELAY) this.#timer = setTimeout(() => this.#expire(), seconds * 1000);
  }

  /** Stops the timer until `restart`. */
  pause() {
    clearTimeout(this.#timer);
  }

  stop() {
    this.pause();
    this.#caller?.removeEventListener("abort", this.#follow);
  }

  /** Stops the timer and aborts the signal. */
  abort() {
    this.stop();
    this.#controller.abort();
  }

  #expire() {
    this.isExpired = !this.isAborted;
    this.#controller.abort();
  }
}

/**
 * Resolves after this time. Rejects with the reason of the signal if it aborts first.
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
      Math.min(MAX_DELAY, seconds * 1000),
    );
    signal?.addEventListener("abort", stop, { once: true });
  });
}
