<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * Sends requests with ext-curl, each over a new connection. On a reused connection, curl would silently resend a lost
 * request.
 *
 * @internal
 */
final class CurlClient implements HttpClient
{
    /** @param float $timeout seconds */
    public function __construct(private readonly Endpoint $endpoint, private readonly float $timeout)
    {
    }

    public function send(Request $request): RawResponse
    {
        $transfer = $this->start($request, $this->timeout);

        return new RawResponse($transfer->response(), implode('', iterator_to_array($transfer->chunks(), false)));
    }

    /** @param float $idleTimeout the longest time without any data, in seconds */
    public function start(Request $request, float $idleTimeout): CurlTransfer
    {
        $options = [
            \CURLOPT_URL => $this->endpoint->url($request),
            \CURLOPT_CUSTOMREQUEST => $request->method,
            \CURLOPT_HTTPHEADER => self::headerLines($this->endpoint->headers($request)),
            \CURLOPT_PROTOCOLS => \CURLPROTO_HTTP | \CURLPROTO_HTTPS,
            \CURLOPT_FOLLOWLOCATION => false,
            \CURLOPT_PATH_AS_IS => true,
            \CURLOPT_NOSIGNAL => true,
            \CURLOPT_CONNECTTIMEOUT_MS => (int) ceil($this->timeout * 1000),
        ];
        if ($request->body !== null || $request->method === 'POST') {
            $options[\CURLOPT_POSTFIELDS] = $request->body ?? '';
        }
        if ($this->endpoint->isLoopback) {
            // A request to this machine must not go through a proxy set in the environment.
            $options[\CURLOPT_PROXY] = '';
        }

        return new CurlTransfer($options, $idleTimeout);
    }

    /**
     * @param array<string, string> $headers
     *
     * @return list<string>
     */
    private static function headerLines(array $headers): array
    {
        // Removes the headers that curl adds: Expect for a long body, and Content-Type without a body.
        $lines = ['Expect:', ...(isset($headers['Content-Type']) ? [] : ['Content-Type:'])];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }

        return $lines;
    }
}
