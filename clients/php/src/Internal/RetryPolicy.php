<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ApiException;
use Blogsvc\Exception\ConnectionException;

/**
 * Decides whether a request is retried, and after how long.
 *
 * @internal
 */
final class RetryPolicy
{
    /** Seconds. */
    private const INITIAL_DELAY = 0.5;
    private const MAX_DELAY = 8.0;

    /** @param float $maxRetryWait seconds; if the server asks to wait longer, there is no retry */
    public function __construct(public readonly int $maxRetries, private readonly float $maxRetryWait)
    {
    }

    /** Returns the seconds to wait after this many failures in a row, or null if a retry cannot help. */
    public function delay(ApiException|ConnectionException $error, int $failures): ?float
    {
        if ($error instanceof ApiException) {
            if (!self::isRetryable($error)) {
                return null;
            }
            if ($error->retryAfter !== null) {
                return $error->retryAfter <= $this->maxRetryWait ? $error->retryAfter : null;
            }
        }

        // Jitter keeps clients from retrying at the same time.
        return random_int(500, 1000) / 1000 * min(self::MAX_DELAY, self::INITIAL_DELAY * 2 ** ($failures - 1));
    }

    private static function isRetryable(ApiException $error): bool
    {
        return \in_array($error->status, [429, 503], true)
            || ($error->status === 409 && $error->slug === 'request-in-progress');
    }
}
