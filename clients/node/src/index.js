/** The official JavaScript client for blogsvc. */

export { Client } from "./client.js";
export * from "./errors.js";
export { Page } from "./page.js";
export { VERSION } from "./version.js";
export { Webhook } from "./webhook.js";
