<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ApiException;
use Blogsvc\Exception\ConnectionException;
use Blogsvc\Record\Event;
use Blogsvc\Response;

/**
 * The event stream, which reconnects after the connection drops.
 *
 * @internal
 */
final class EventStream
{
    /** Seconds. The server sends a comment every 15 s, so a stream that is silent for longer is broken. */
    private const IDLE_TIMEOUT = 45.0;

    public function __construct(
        private readonly CurlClient $curl,
        private readonly RetryPolicy $retryPolicy,
        private readonly AttemptLog $log,
    ) {
    }

    /**
     * @return \Generator<int, Event>
     *
     * @throws ApiException        if a retry cannot help
     * @throws ConnectionException if no connection ever opened
     */
    public function open(Request $request): \Generator
    {
        $parser = new SseParser();
        $request = $request->withHeader('Accept', 'text/event-stream, application/problem+json');
        $hasConnected = false;
        $failures = 0;
        $firstStartedAt = hrtime(true);
        for ($attempt = 1;; ++$attempt) {
            $startedAt = hrtime(true);
            $response = $transfer = null;
            try {
                $transfer = $this->curl->start($request, self::IDLE_TIMEOUT);
                $response = $transfer->response();
                self::checkIsStream($transfer, $response);
                $hasConnected = true;
                foreach ($parser->parse($transfer->chunks()) as $document) {
                    $failures = 0;
                    yield new Event($document);
                }
                $error = new ConnectionException('The stream ended.');
            } catch (ApiException | ConnectionException $error) {
            } finally {
                $transfer?->close();
            }
            ++$failures;
            // After the first connection, the number of retries is unlimited.
            $delay = $this->retryPolicy->delay($error, $failures, $firstStartedAt, unlimited: $hasConnected);
            $this->log->log($request, $attempt, $startedAt, $response, $error, $delay);
            if ($delay === null) {
                throw $error;
            }
            Time::sleep($delay);
            if ($parser->lastEventId !== null) {
                $request = $request->withHeader('Last-Event-ID', $parser->lastEventId);
            }
        }
    }

    /**
     * @throws ApiException if the response is not an event stream
     * @throws ConnectionException
     */
    private static function checkIsStream(CurlTransfer $transfer, Response $response): void
    {
        $isStream = str_starts_with($response->header('Content-Type') ?? '', 'text/event-stream');
        if ($response->status !== 200 || !$isStream) {
            $body = implode('', iterator_to_array($transfer->chunks(), false));
            throw ApiException::fromResponse(new RawResponse($response, $body));
        }
    }
}
