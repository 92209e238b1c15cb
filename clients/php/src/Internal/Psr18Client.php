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
 * Sends requests with a PSR-18 client.
 *
 * @internal
 */
final class Psr18Client implements HttpClient
{
    public function __construct(
        private readonly Endpoint $endpoint,
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requestFactory,
        private readonly StreamFactoryInterface $streamFactory,
    ) {
    }

    public function send(Request $request): RawResponse
    {
        $message = $this->requestFactory->createRequest($request->method, $this->endpoint->url($request));
        foreach ($this->endpoint->headers($request) as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        if ($request->body !== null) {
            $message = $message->withBody($this->streamFactory->createStream($request->body));
        }
        try {
            $response = $this->client->sendRequest($message);
            $body = (string) $response->getBody();
        } catch (ClientExceptionInterface $error) {
            // The cause is left out, since it contains the request with the API key.
            throw self::connectionException($error->getMessage());
        }
        $headers = array_map(static fn (array $values): string => implode(', ', $values), $response->getHeaders());

        return new RawResponse(new Response($response->getStatusCode(), array_change_key_case($headers)), $body);
    }

    /** PSR-18 has no exception for timeouts, so they are recognized by their message. */
    private static function connectionException(string $reason): ConnectionException
    {
        return preg_match('/time(d |-)?out/i', $reason) === 1
            ? new TimeoutException($reason)
            : new ConnectionException($reason);
    }
}
