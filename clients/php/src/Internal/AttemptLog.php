<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConnectionException;
use Blogsvc\Response;

/**
 * Tells of attempts to whoever wants to know.
 *
 * @internal
 */
final class AttemptLog
{
    public function __construct(private readonly Server $server, private readonly ?\Closure $listener)
    {
    }

    /** @param int $began in nanoseconds, by hrtime */
    public function tell(
        Call $call,
        int $attempt,
        int $began,
        ?Response $response,
        ?\Throwable $failure,
        ?float $retryIn,
    ): void {
        if ($this->listener === null) {
            return;
        }
        ($this->listener)([
            'method' => $call->method,
            'path' => $this->server->target($call),
            'attempt' => $attempt,
            'status' => $response?->status,
            'error' => $failure instanceof ConnectionException ? $failure::class : null,
            'milliseconds' => intdiv(hrtime(true) - $began, 1_000_000),
            'requestId' => $response?->requestId,
            'retryIn' => $retryIn,
        ]);
    }
}
