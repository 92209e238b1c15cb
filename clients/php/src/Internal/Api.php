<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\BlogsvcException;
use Blogsvc\Options;
use Blogsvc\Page;
use Blogsvc\Record;
use Blogsvc\Record\Event;

/**
 * Answers, as resources give them to their callers.
 *
 * @internal
 */
final class Api
{
    private function __construct(private readonly Transport $transport, private readonly EventStream $events)
    {
    }

    public static function of(Server $server, Options $options): self
    {
        $curl = new CurlSender($server, $options->timeout);
        $sender = $options->httpClient === null
            ? $curl
            : new Psr18Sender($server, $options->httpClient, $options->requestFactory, $options->streamFactory);
        $retries = new Retries($options->maxRetries, $options->maxRetryWait);
        $log = new AttemptLog($server, $options->log);

        // PSR-18 has no answers without an end, so the stream goes by curl whatever else does not.
        return new self(new Transport($sender, $retries, $log), new EventStream($curl, $retries, $log));
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
    public function one(string $class, Call $call): Record
    {
        return $this->maybe($class, $call);
    }

    /**
     * @template T of Record
     *
     * @param class-string<T> $class
     *
     * @return T|null null where there is nothing to answer, or nothing new
     *
     * @throws BlogsvcException
     */
    public function maybe(string $class, Call $call): ?Record
    {
        $answer = $this->transport->send($call);
        $document = $answer->document();

        return $document === null ? null : new $class($document, $answer->response);
    }

    /** @throws BlogsvcException */
    public function none(Call $call): void
    {
        $this->transport->send($call);
    }

    /**
     * @template T of Record
     *
     * @param class-string<T> $class of its rows
     *
     * @return Page<T>
     *
     * @throws BlogsvcException
     */
    public function page(string $class, Call $call): Page
    {
        $answer = $this->transport->send($call);
        $document = $answer->document() ?? new \stdClass();
        $document->data = array_map(
            static fn (\stdClass $row): Record => new $class($row),
            \is_array($document->data ?? null) ? $document->data : [],
        );

        return new Page($this, $call, $class, new Record($document, $answer->response));
    }

    /**
     * @return \Generator<int, Event>
     *
     * @throws BlogsvcException
     */
    public function events(Call $call): \Generator
    {
        return $this->events->listen($call);
    }
}
