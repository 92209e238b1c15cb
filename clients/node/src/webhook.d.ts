import type { Event } from "./schemas.js";

/** The post of a message, in brief, as it was when the message was made. */
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

/** What a webhook is sent. */
export interface WebhookMessage {
  /** That of the event, or `webhook.test`. */
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly event?: Event;
    /** Null where the event is about none. */
    readonly post?: WebhookPost | null;
  };
}

/** Headers, or an object with names in any case, such as `headers` of a request in Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Verifies that messages come from who has the secret (https://www.standardwebhooks.com). */
export declare class Webhook {
  /**
   * @param secrets `whsec_...`; several, for the time of a rotation.
   * @throws {ConfigurationError} It is no secret.
   */
  constructor(secrets: string | readonly string[]);

  /**
   * The message, if it is genuine.
   *
   * A message may come twice: remember its `webhook-id`.
   *
   * @param body As it came, before anything parses it.
   * @throws {WebhookSignatureError} It is not by this secret, or older or newer than five minutes.
   */
  verify(body: string | ArrayBuffer | Uint8Array, headers: WebhookHeaders, now?: Date): Promise<WebhookMessage>;
}
