<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ApiException;
use Blogsvc\Exception\ConnectionException;
use Blogsvc\Exception\NotFoundException;
use Blogsvc\Response;

/**
 * Sends requests with retries.
 *
 * @internal
 */
final class Transport
{
    public function __construct(
        private readonly HttpClient $client,
        private readonly RetryPolicy $retryPolicy,
        private readonly AttemptLog $log,
    ) {
    }

    /**
     * @throws ApiException
     * @throws ConnectionException
     */
    public function send(Request $request): RawResponse
    {
        $mayBeDone = false;
        $firstStartedAt = hrtime(true);
        for ($attempt = 1;; ++$attempt) {
            $startedAt = hrtime(true);
            $raw = $error = null;
            try {
                $raw = $this->client->send($request);
                $error = self::errorOf($request, $raw);
            } catch (ConnectionException $error) {
            }
            $delay = $error === null ? null : $this->delay($request, $error, $attempt, $firstStartedAt);
            $this->log->log($request, $attempt, $startedAt, $raw?->response, $error, $delay);
            if ($error === null) {
                return $raw;
            }
            if ($error instanceof NotFoundException && $mayBeDone && $request->method === 'DELETE') {
                // An earlier attempt, whose response was lost, has deleted the resource.
                return new RawResponse(new Response(204, $error->headers));
            }
            if ($delay === null) {
                throw self::withContext($request, $error);
            }
            $mayBeDone = $mayBeDone || RetryPolicy::isLost($error);
            Time::sleep($delay);
        }
    }

    private function delay(
        Request $request,
        ApiException|ConnectionException $error,
        int $attempt,
        int $startedAt,
    ): ?float {
        $isUnsafe = self::isUnsafeToRetry($request, $error);

        return $isUnsafe ? null : $this->retryPolicy->delay($error, $attempt, $startedAt);
    }

    /** If the lost attempt succeeded, it changed the ETag, so that a retry would fail because of its own change. */
    private static function isUnsafeToRetry(Request $request, ApiException|ConnectionException $error): bool
    {
        return RetryPolicy::isLost($error) && isset($request->headers['If-Match']);
    }

    private static function errorOf(Request $request, RawResponse $raw): ?ApiException
    {
        $status = $raw->response->status;
        $isSuccess = match (true) {
            $status === 304 => isset($request->headers['If-None-Match']),
            $status === 204 => $request->method === 'DELETE',
            default => $status >= 200 && $status < 300 && $raw->document() !== null,
        };

        return $isSuccess ? null : ApiException::fromResponse($raw, $request->idempotencyKey());
    }

    private static function withContext(
        Request $request,
        ApiException|ConnectionException $error,
    ): ApiException|ConnectionException {
        if ($error instanceof ApiException) {
            return $error;
        }
        $message = "No response to {$request->method} {$request->target()}: {$error->getMessage()}";
        if (self::isUnsafeToRetry($request, $error)) {
            $message .= ' The server may have made the change. A request with ifMatch is not retried:'
                . ' fetch the resource to see its state.';
        }

        return new ($error::class)($message, $error->wasSent, $request->idempotencyKey());
    }
}
