<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Internal\RawResponse;

/** 429: too many requests. `retryAfter` is the seconds to wait. */
final class RateLimitException extends ApiException
{
    /** The exceeded limit: `read`, `write` or `publish`. */
    public readonly ?string $tier;

    /** The limit in requests per minute. */
    public readonly ?int $limit;

    protected function __construct(RawResponse $raw, ?string $idempotencyKey)
    {
        parent::__construct($raw, $idempotencyKey);
        $this->tier = $this->stringField('tier');
        $limit = $this->problem['limit'] ?? null;
        $this->limit = \is_int($limit) ? $limit : null;
    }
}
