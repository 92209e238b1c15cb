export { Client } from "./client.js";
export * from "./errors.js";
export { Page } from "./page.js";
export type * from "./resources/index.js";
export type * from "./schemas.js";
export type * from "./types.js";
export { VERSION } from "./version.js";
export { Webhook } from "./webhook.js";
export type { WebhookHeaders, WebhookMessage, WebhookPost } from "./webhook.js";
