"""What the document says of the API as a whole: `info.description`."""

DESCRIPTION = """\
JSON in and out. Names are camelCase; times are RFC 3339, any offset in, UTC out. A field that is absent is left
alone, null clears it; a field or parameter that nothing here is called is refused.

**Authentication.** Every operation wants `Authorization: Bearer bsk_...`, over HTTPS. `blogsvc key create NAME` makes
a key. Each operation says which scope a key must have for it (`x-scope`).

**Errors** are [problem documents](https://www.rfc-editor.org/rfc/rfc9457): `type` leads to a page that says what it
means and what to do, `detail` says it of this request, and `errors` of a 422 lists everything that is wrong at once.
[All problems](/api/v1/problems/).

**Pages.** A list answers `data` and `nextCursor`, which is null on the last page; `Link` with `rel="next"` has the
address of the next one. `limit` is 1 to 100, by default 20. Nothing is skipped or repeated while rows are added.

**Idempotency.** A `POST` with an `Idempotency-Key` may be sent again when its answer was lost: it is done once.

**Concurrency.** A single document has an `ETag`. `If-Match` refuses to change what somebody else has changed since;
`If-None-Match` answers 304 for what you have already.

**Limits** are counted by key and tier (`x-rate-tier`): 300 reads, 60 writes and 20 publishes a minute unless set
otherwise. `RateLimit` tells what is left; 429 comes with `Retry-After`.

**Versions.** The path holds the version. Additions are not breaking; what is to go is announced half a year ahead with
`Deprecation` and `Sunset`. [The policy](/api/v1/docs/versions).
"""
