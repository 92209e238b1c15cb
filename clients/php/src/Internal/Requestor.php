<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\BlogsvcException;
use Blogsvc\Options;
use Blogsvc\Page;
use Blogsvc\Record;
use Blogsvc\Record\Event;

/**
 * Sends the requests of resources and decodes the responses into records.
 *
 * @internal
 */
final class Requestor
{
    private function __construct(private readonly Transport $transport, private readonly EventStream $events)
    {
    }

    public static function create(Endpoint $endpoint, Options $options): self
    {
        $curl = new CurlClient($endpoint, $options->timeout);
        $client = $options->httpClient === null
            ? $curl
            : new Psr18Client($endpoint, $options->httpClient, $options->requestFactory, $options->streamFactory);
        $retryPolicy = new RetryPolicy($options->maxRetries, $options->maxRetryWait, $options->retryFor);
        $log = new AttemptLog($endpoint, $options->log);

        // PSR-18 does not support endless responses, so the event stream always uses curl.
        return new self(new Transport($client, $retryPolicy, $log), new EventStream($curl, $retryPolicy, $log));
    }

    /**
     * @template T of Record
     *
     * @param class-string<T> $class
     *
     * @return T
     *
     * @throws BlogsvcException
     */
    public function request(string $class, Request $request): Record
    {
        return $this->requestOrNull($class, $request);
    }

    /**
     * @template T of Record
     *
     * @param class-string<T> $class
     *
     * @return T|null null if the response is empty or the resource has not changed
     *
     * @throws BlogsvcException
     */
    public function requestOrNull(string $class, Request $request): ?Record
    {
        $raw = $this->transport->send($request);
        $document = $raw->document();

        return $document === null ? null : new $class($document, $raw->response);
    }

    /** @throws BlogsvcException */
    public function requestNoContent(Request $request): void
    {
        $this->transport->send($request);
    }

    /**
     * @template T of Record
     *
     * @param class-string<T> $class the class of the rows
     *
     * @return Page<T>
     *
     * @throws BlogsvcException
     */
    public function requestPage(string $class, Request $request): Page
    {
        $raw = $this->transport->send($request);
        $document = $raw->document() ?? new \stdClass();
        $document->data = array_map(
            static fn (\stdClass $row): Record => new $class($row),
            \is_array($document->data ?? null) ? $document->data : [],
        );

        return new Page($this, $request, $class, new Record($document, $raw->response));
    }

    /**
     * @return \Generator<int, Event>
     *
     * @throws BlogsvcException
     */
    public function stream(Request $request): \Generator
    {
        return $this->events->open($request);
    }
}
