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
    private const MAX_DELAY = 4.0;

    /**
     * @param float $maxRetryWait seconds; if the server asks to wait longer, there is no retry
     * @param float $retryFor     seconds for which there are more than maxRetries
     */
    public function __construct(
        private readonly int $maxRetries,
        private readonly float $maxRetryWait,
        private readonly float $retryFor,
    ) {
    }

    /**
     * Returns the seconds to wait before the next attempt, or null if there is none.
     *
     * @param int  $failures  the number of failures in a row
     * @param int  $startedAt the start of the first attempt by hrtime, in nanoseconds
     * @param bool $unlimited whether the number of retries is unlimited
     */
    public function delay(
        ApiException|ConnectionException $error,
        int $failures,
        int $startedAt,
        bool $unlimited = false,
    ): ?float {
        if (!$this->isRetryable($error)) {
            return null;
        }
        $retryAfter = $error instanceof ApiException ? $error->retryAfter : null;
        $delay = $retryAfter ?? self::backoff($failures - 1);
        $retryAt = (hrtime(true) - $startedAt) / 1e9 + $delay;
        $isExhausted = !$unlimited && $failures > $this->maxRetries && $retryAt > $this->retryFor;

        return $isExhausted || ($retryAfter ?? 0) > $this->maxRetryWait ? null : $delay;
    }

    /** Returns whether the server may have carried out the request, although there was no response from it. */
    public static function isLost(ApiException|ConnectionException $error): bool
    {
        return $error instanceof ConnectionException ? $error->wasSent : self::isGatewayError($error);
    }

    private function isRetryable(ApiException|ConnectionException $error): bool
    {
        if ($error instanceof ConnectionException) {
            return true;
        }
        if (self::isGatewayError($error)) {
            return $this->retryFor > 0;
        }

        return \in_array($error->status, [429, 503], true)
            || ($error->status === 409 && $error->slug === 'request-in-progress');
    }

    /** Returns whether a proxy could not reach the server, or lost its response. The API itself names the problem. */
    private static function isGatewayError(ApiException $error): bool
    {
        return \in_array($error->status, [502, 504], true) && $error->slug === null;
    }

    private static function backoff(int $retry): float
    {
        // Jitter keeps clients from retrying at the same time.
        return random_int(500, 1000) / 1000 * min(self::MAX_DELAY, self::INITIAL_DELAY * 2 ** $retry);
    }
}
