<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ApiException;
use Blogsvc\Exception\ConnectionException;
use Blogsvc\Record\Event;
use Blogsvc\Response;

/**
 * Events as they happen, over as many connections as it takes.
 *
 * @internal
 */
final class EventStream
{
    /** Seconds. The server says something each 15. */
    private const SILENCE = 45.0;

    public function __construct(
        private readonly CurlSender $curl,
        private readonly Retries $retries,
        private readonly AttemptLog $log,
    ) {
    }

    /**
     * @return \Generator<int, Event>
     *
     * @throws ApiException        where trying again mends nothing
     * @throws ConnectionException where the first connection never came to be
     */
    public function listen(Call $call): \Generator
    {
        $parser = new EventParser();
        $call = $call->withHeader('Accept', 'text/event-stream, application/problem+json');
        $hasStood = false;
        $failures = 0;
        for ($attempt = 1;; ++$attempt) {
            $began = hrtime(true);
            $response = $exchange = null;
            try {
                $exchange = $this->curl->begin($call, self::SILENCE);
                $response = $exchange->response();
                self::check($exchange, $response);
                $hasStood = true;
                foreach ($parser->events($exchange->parts()) as $document) {
                    $failures = 0;
                    yield new Event($document);
                }
                $failure = new ConnectionException('The stream ended.');
            } catch (ApiException | ConnectionException $failure) {
            } finally {
                $exchange?->close();
            }
            ++$failures;
            $isEnough = !$hasStood && $failures > $this->retries->most;
            $pause = $isEnough ? null : $this->retries->pause($failure, $failures);
            $this->log->tell($call, $attempt, $began, $response, $failure, $pause);
            if ($pause === null) {
                throw $failure;
            }
            Time::pass($pause);
            if ($parser->lastId !== null) {
                $call = $call->withHeader('Last-Event-ID', $parser->lastId);
            }
        }
    }

    /**
     * @throws ApiException where it is no stream
     * @throws ConnectionException
     */
    private static function check(Exchange $exchange, Response $response): void
    {
        $isStream = str_starts_with($response->header('Content-Type') ?? '', 'text/event-stream');
        if ($response->status !== 200 || !$isStream) {
            throw ApiException::of(new Answer($response, implode('', iterator_to_array($exchange->parts(), false))));
        }
    }
}
