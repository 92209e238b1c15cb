<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConnectionException;
use Blogsvc\Response;

/**
 * Passes every attempt to the `log` option.
 *
 * @internal
 */
final class AttemptLog
{
    public function __construct(private readonly Endpoint $endpoint, private readonly ?\Closure $callback)
    {
    }

    /** @param int $startedAt the start time by hrtime, in nanoseconds */
    public function log(
        Request $request,
        int $attempt,
        int $startedAt,
        ?Response $response,
        ?\Throwable $error,
        ?float $retryIn,
    ): void {
        if ($this->callback === null) {
            return;
        }
        ($this->callback)([
            'method' => $request->method,
            'path' => $this->endpoint->target($request),
            'attempt' => $attempt,
            'status' => $response?->status,
            'error' => $error instanceof ConnectionException ? $error::class : null,
            'milliseconds' => intdiv(hrtime(true) - $startedAt, 1_000_000),
            'requestId' => $response?->requestId,
            'retryIn' => $retryIn,
        ]);
    }
}
