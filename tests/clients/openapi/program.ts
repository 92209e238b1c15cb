// A program with the types that openapi-typescript makes of the document: it compiles only if they are as expected.
import type { components, operations } from "./openapi";

type Schemas = components["schemas"];

export const draft: Schemas["PostInput"] = { title: "Gold", content: "Up." };
export const change: Schemas["PostChange"] = { content: "Down." };
export const webhook: Schemas["WebhookInput"] = { url: "https://example.org/hook" };
export const image: NonNullable<operations["listMedia"]["parameters"]["query"]> = {};

export function titleOf(post: Schemas["Post"]): string {
  return post.publishedAt === null ? `${post.title} (${post.status})` : post.title;
}
