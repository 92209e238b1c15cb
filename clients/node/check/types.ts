/** Type tests for strict TypeScript (`npm run check`): valid code, and errors that the types must report. Never run. */

import {
  APIError,
  BlogsvcError,
  Client,
  ConflictError,
  ConnectionError,
  InvalidError,
  Page,
  RateLimitError,
  VERSION,
  WaitTimeoutError,
  Webhook,
  type APIResponse,
  type ClientOptions,
  type Key,
  type LogEntry,
  type PagePromise,
  type Post,
  type PostChange,
  type PostInput,
  type PostsListFields,
  type PostStatus,
  type Scope,
  type WebhookMessage,
  type WebhookSubscription,
} from "blogsvc-client";

const options: ClientOptions = { timeout: 5, log: (entry: LogEntry) => console.log(entry.retryIn) };
new Client("bsk_1", "https://blog.example.org", { timeout: 5 });
new Client({ apiKey: "bsk_1", baseUrl: "https://blog.example.org", timeout: 5 });
// @ts-expect-error an unknown option
new Client({ apikey: "bsk_1" });
// @ts-expect-error a key without its URL
new Client("bsk_1");
// @ts-expect-error a key without its URL, by name
new Client({ apiKey: "bsk_1" });
// @ts-expect-error a URL without a key
new Client({ baseUrl: "https://blog.example.org" });
// @ts-expect-error another server
new Client().withOptions({ baseUrl: "https://blog.example.org" });
// @ts-expect-error the key is given twice
new Client("bsk_1", "https://blog.example.org", { apiKey: "bsk_1" });
// The same from variables, whose other properties TypeScript would accept.
const keyOnly = { apiKey: "bsk_1", timeout: 5 };
// @ts-expect-error a key without its URL
new Client(keyOnly);
const urlOnly = { baseUrl: "https://blog.example.org", timeout: 5 };
// @ts-expect-error a URL without a key
new Client(urlOnly);
const both = { apiKey: "bsk_1", baseUrl: "https://blog.example.org", timeout: 5 };
new Client(both);
// @ts-expect-error the key is given twice
new Client("bsk_1", "https://blog.example.org", both);
// @ts-expect-error another server
new Client().withOptions(both);
const missing: { apiKey: string | undefined; baseUrl: string } = { apiKey: undefined, baseUrl: "https://x.example" };
// @ts-expect-error the key may be undefined
new Client(missing);
// @ts-expect-error a missing configuration must not select the environment
new Client(undefined);
const client: Client = new Client(options).withOptions({ maxRetries: 0, retryFor: 60 });

const schedule = { localTime: "2030-01-01T09:00", timeZone: "Europe/Berlin" };
const signal = AbortSignal.timeout(100);
const input: PostInput = { title: "Ink", scheduledAt: new Date(), schedule, tags: ["a"] as const };
const post: APIResponse<Post> = await client.posts.create(input, { idempotencyKey: "x", signal });
const change: PostChange = { scheduledAt: null };
await client.posts.update(post.id, change, { ifMatch: post.response.etag });
await client.posts.update(post.id, { ...post, title: "Iron gall ink" });
const status: PostStatus | (string & {}) = post.status;
if (post.status === "published") console.log(post.deliveries[0]?.lastError?.code);

const current: APIResponse<Post> = await client.posts.get(post.id, { fields: ["id", "title"] });
const maybe: APIResponse<Post> | null = await client.posts.get(post.id, {}, { ifNoneMatch: current.response.etag });
// @ts-expect-error the response may be null
maybe.title;
const revoked: APIResponse<Key> | null = await client.keys.revoke("key_1");
const withdrawn: APIResponse<Post> | null = await client.posts.delete(post.id, { withdraw: true });

const filters: PostsListFields = { status: ["draft"], createdAfter: new Date(), limit: 2 };
const list: PagePromise<Post> = client.posts.list(filters);
for await (const one of list) console.log(one.title.length);
const page: Page<Post> = await list;
for await (const each of page.pages())
  console.log(
    each.data.map(({ id }) => id),
    each.nextCursor,
  );
for await (const event of client.events.stream({ type: ["post.published"] })) console.log(event.type, event.data["x"]);
await client.posts.wait(post.id, { timeout: 1, onProgress: (now) => console.log(now.status, now.response.status) });
await client.media.upload(new Blob(["x"]), { alt: "x" }, { filename: "x.png" });
await client.posts.publish(post.id, undefined, { wait: 5 });
await client.posts.bulk({
  operations: [
    { operation: "create", post: { title: "x" } },
    { operation: "publish", id: "post_1", at: new Date() },
  ],
});
const scopes: Scope[] = ["posts:read"];
const { key } = await client.keys.create({ name: "x", scopes });
const hook: WebhookSubscription = await client.webhooks.get("wh_1");
const message: WebhookMessage = await new Webhook(["a", "b"]).verify(new Uint8Array(), { "webhook-id": ["x"] });

// @ts-expect-error a title is required
await client.posts.create({ content: "x" });
// @ts-expect-error no such field
await client.posts.create({ titel: "x" });
// @ts-expect-error this method has no such option
await client.posts.get("x", {}, { ifMatch: "x" });
// @ts-expect-error no such status
await client.posts.list({ status: ["lost"] });
// @ts-expect-error responses are read-only
post.title = "x";

try {
  await client.me();
} catch (error) {
  if (error instanceof InvalidError) for (const { pointer, code } of error.errors) console.log(pointer, code);
  else if (error instanceof RateLimitError) console.log(error.tier, error.limit, error.retryAfter);
  else if (error instanceof ConflictError) console.log(error.state, error.allowed);
  else if (error instanceof WaitTimeoutError) console.log(error.post?.status);
  else if (error instanceof APIError) console.log(error.problem["x"], error.headers.get("x"));
  else if (error instanceof ConnectionError) console.log(error.wasSent);
  else if (error instanceof BlogsvcError) console.log(error.message, error.idempotencyKey?.length);
}
console.log(status, revoked, withdrawn, key, hook.enabled, message.data.post?.title, VERSION);
