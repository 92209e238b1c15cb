import type { Event } from "./schemas.js";

/** The summary of a post in a message, as it was when the message was created. */
export interface WebhookPost {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly status: string;
  readonly url: string | null;
  readonly scheduledAt: string | null;
  readonly publishedAt: string | null;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
}

/** A webhook message. */
export interface WebhookMessage {
  /** The type of the event, or `webhook.test`. */
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly event?: Event;
    /** Null if the event has no post. */
    readonly post?: WebhookPost | null;
  };
}

/** A Headers object, or a plain object with names in any case, such as the headers of a Node.js request. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Verifies webhook messages by the Standard Webhooks specification (https://www.standardwebhooks.com). */
export declare class Webhook {
  /**
   * @param secrets The signing secret (`whsec_...`). Pass several while you rotate it.
   * @throws {ConfigurationError} A secret is missing or invalid.
   */
  constructor(secrets: string | readonly string[]);

  /**
   * Verifies a message and resolves to it.
   *
   * A message may be delivered more than once: use its `webhook-id` to detect duplicates.
   *
   * @param body The raw request body. Do not parse it first.
   * @param headers The request headers.
   * @param now Default: the current time.
   * @throws {WebhookSignatureError} The signature is invalid, or the timestamp is more than five minutes off.
   */
  verify(body: string | ArrayBuffer | Uint8Array, headers: WebhookHeaders, now?: Date): Promise<WebhookMessage>;
}
