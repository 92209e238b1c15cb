"""The description of the whole API in the OpenAPI document (`info.description`)."""

DESCRIPTION = """\
Requests and responses are JSON. Names are camelCase. Times are RFC 3339: requests accept any UTC offset and also the
short and basic forms of ISO 8601 (`20261124T0900Z`), but no time without an offset; responses use UTC with three
fractional digits, such as `2026-11-24T09:00:00.000Z`. Ids are opaque strings of up to 40 characters. In updates, an
absent field keeps its value and null clears it. Unknown fields and parameters are rejected. Accept fields and values
that you don't know in responses: later versions of this API may add some. A `DELETE` returns what is still there, such
as a post in the trash, and otherwise 204.

**Tolerances.** A time up to a minute in the past counts as now. Spaces around titles and tags are removed. `1.0` is
accepted for `1`. An object can be sent back as it was read: unchanged fields are ignored, and so is what the server
computes, whatever its value; another value for what can't be changed, such as `id`, `createdAt` or `status`, is an
error. A slash at the end of a path redirects (308). `Prefer: wait` accepts more than 30 seconds and waits for 30. List
parameters may be repeated or separated by commas.

**Authentication.** Send `Authorization: Bearer bsk_...` with every request, over HTTPS. Run `blogsvc key create NAME`
to create a key. Each operation lists the scope that the key needs (`x-scope`).

**Errors** are [problem documents](https://www.rfc-editor.org/rfc/rfc9457). `type` links to a page with the meaning and
the fix, `detail` describes this error, and `errors` of a 422 lists all validation errors at once.
[All problem types](/api/v1/problems/).

**Pagination.** A list returns `data` and `nextCursor`, which is null on the last page. The `Link` header with
`rel="next"` has the URL of the next page. `limit` is 1 to 100; the default is 20. Pages do not skip or repeat items
when items are added.

**Idempotency.** Send an `Idempotency-Key` with a `POST` to retry it safely: the operation runs only once.

**Concurrency.** Single objects have an `ETag`. Send it as `If-Match` to avoid overwriting someone else's changes, or
as `If-None-Match` to get 304 if nothing has changed.

**Rate limits** apply per key and tier (`x-rate-tier`). The defaults are 300 reads, 60 writes and 20 publishes per
minute. The `RateLimit` header has the remaining requests; a 429 response has `Retry-After`.

**Versioning.** The version is part of the path. Additions are not breaking changes. Removals are announced six months
ahead with the headers `Deprecation` and `Sunset`. [Versioning policy](/api/v1/docs/versions).
"""
