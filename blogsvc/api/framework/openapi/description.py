"""The description of the whole API in the OpenAPI document (`info.description`)."""

DESCRIPTION = """\
Requests and responses are JSON. Names are camelCase. Times are RFC 3339; requests accept any UTC offset, responses use
UTC. In updates, an absent field keeps its value and null clears it. Unknown fields and parameters are rejected.

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
