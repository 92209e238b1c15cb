<?php

declare(strict_types=1);

namespace Blogsvc;

/** The status and headers of an HTTP response. */
final class Response
{
    /** The ETag of the resource, for `ifMatch` and `ifNoneMatch`. */
    public readonly ?string $etag;

    /** The id of the request in the server's log. */
    public readonly ?string $requestId;

    /** Whether this is the stored response to an earlier request with the same idempotency key. */
    public readonly bool $isReplayed;

    /** @param array<string, string> $headers by lowercase name */
    public function __construct(public readonly int $status, public readonly array $headers)
    {
        $this->etag = $this->header('ETag');
        $this->requestId = $this->header('X-Request-Id');
        $this->isReplayed = $this->header('Idempotency-Replayed') === 'true';
    }

    /** Returns a header. The name is case-insensitive. */
    public function header(string $name): ?string
    {
        return $this->headers[strtolower($name)] ?? null;
    }
}
