<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ApiException;
use Blogsvc\Exception\ConnectionException;

/**
 * What is tried again, and when.
 *
 * @internal
 */
final class Retries
{
    private const FIRST = 0.5;
    private const LONGEST = 8.0;

    /** @param float $longestAsked seconds; a server that asks to wait for longer is not waited for */
    public function __construct(public readonly int $most, private readonly float $longestAsked)
    {
    }

    /** How many seconds to wait after the n-th failure in a row, from 1; null where trying again mends nothing. */
    public function pause(ApiException|ConnectionException $failure, int $failures): ?float
    {
        if ($failure instanceof ApiException) {
            if (!self::isPassing($failure)) {
                return null;
            }
            if ($failure->retryAfter !== null) {
                return $failure->retryAfter <= $this->longestAsked ? $failure->retryAfter : null;
            }
        }

        return random_int(500, 1000) / 1000 * min(self::LONGEST, self::FIRST * 2 ** ($failures - 1));
    }

    private static function isPassing(ApiException $failure): bool
    {
        return \in_array($failure->status, [429, 503], true)
            || ($failure->status === 409 && $failure->slug === 'request-in-progress');
    }
}
