<?php

declare(strict_types=1);

namespace Blogsvc;

/** What came with an answer, beside what it says. */
final class Response
{
    /** The version of what was answered, for `ifMatch` and `ifNoneMatch`. */
    public readonly ?string $etag;

    /** The server's name for the request, which its log has too. */
    public readonly ?string $requestId;

    /** Whether it is the answer that an earlier request with the same idempotency key had. */
    public readonly bool $isReplayed;

    /** @param array<string, string> $headers by their names in lower case */
    public function __construct(public readonly int $status, public readonly array $headers)
    {
        $this->etag = $this->header('ETag');
        $this->requestId = $this->header('X-Request-Id');
        $this->isReplayed = $this->header('Idempotency-Replayed') === 'true';
    }

    /** A header, by its name in any case. */
    public function header(string $name): ?string
    {
        return $this->headers[strtolower($name)] ?? null;
    }
}
