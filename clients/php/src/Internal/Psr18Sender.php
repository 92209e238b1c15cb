<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConnectionException;
use Blogsvc\Exception\TimeoutException;
use Blogsvc\Response;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * Sends through a client of somebody else's.
 *
 * @internal
 */
final class Psr18Sender implements Sender
{
    public function __construct(
        private readonly Server $server,
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function send(Call $call): Answer
    {
        $request = $this->requests->createRequest($call->method, $this->server->url($call));
        foreach ($this->server->headers($call) as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        if ($call->body !== null) {
            $request = $request->withBody($this->streams->createStream($call->body));
        }
        try {
            $response = $this->client->sendRequest($request);
            $body = (string) $response->getBody();
        } catch (ClientExceptionInterface $error) {
            // Without the cause, which holds the request, and that the key.
            throw self::failure($error->getMessage());
        }
        $headers = array_map(static fn (array $values): string => implode(', ', $values), $response->getHeaders());

        return new Answer(new Response($response->getStatusCode(), array_change_key_case($headers)), $body);
    }

    /** PSR-18 does not tell what ran out of time from what else went wrong; the words of its clients do. */
    private static function failure(string $reason): ConnectionException
    {
        return preg_match('/time(d |-)?out/i', $reason) === 1
            ? new TimeoutException($reason)
            : new ConnectionException($reason);
    }
}
