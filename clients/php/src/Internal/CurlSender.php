<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * Sends by ext-curl, over a connection of its own for each request. Where curl kept one, it would send again by itself
 * what was lost on it, and nobody would know.
 *
 * @internal
 */
final class CurlSender implements Sender
{
    /** @param float $timeout seconds */
    public function __construct(private readonly Server $server, private readonly float $timeout)
    {
    }

    public function send(Call $call): Answer
    {
        $exchange = $this->begin($call, $this->timeout);

        return new Answer($exchange->response(), implode('', iterator_to_array($exchange->parts(), false)));
    }

    /** @param float $silence for how many seconds nothing may come */
    public function begin(Call $call, float $silence): Exchange
    {
        $options = [
            \CURLOPT_URL => $this->server->url($call),
            \CURLOPT_CUSTOMREQUEST => $call->method,
            \CURLOPT_HTTPHEADER => self::lines($this->server->headers($call)),
            \CURLOPT_PROTOCOLS => \CURLPROTO_HTTP | \CURLPROTO_HTTPS,
            \CURLOPT_FOLLOWLOCATION => false,
            \CURLOPT_PATH_AS_IS => true,
            \CURLOPT_NOSIGNAL => true,
            \CURLOPT_CONNECTTIMEOUT_MS => (int) ceil($this->timeout * 1000),
        ];
        if ($call->body !== null || $call->method === 'POST') {
            $options[\CURLOPT_POSTFIELDS] = $call->body ?? '';
        }
        if ($this->server->isLoopback) {
            // A proxy of the environment is not to see what was meant to stay on this machine.
            $options[\CURLOPT_PROXY] = '';
        }

        return new Exchange($options, $silence);
    }

    /**
     * @param array<string, string> $headers
     *
     * @return list<string>
     */
    private static function lines(array $headers): array
    {
        // What curl would add by itself: a question whether a long body may come, and a type where there is no body.
        $lines = ['Expect:', ...(isset($headers['Content-Type']) ? [] : ['Content-Type:'])];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }

        return $lines;
    }
}
