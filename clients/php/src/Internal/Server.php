<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Client;
use Blogsvc\Exception\ConfigurationException;

/**
 * Where requests go, and who asks.
 *
 * @internal
 */
final class Server
{
    private const API = '/api/v1';

    /** Scheme, host, port and path; no user, no query, and nothing that programs read in several ways. */
    private const ADDRESS = '~\A (https?) :// (\[ [0-9a-f:.]+ \] | [^\x00-\x20\x7f/?\#@\\\\:\[\]]+) (:\d+)?
        (/ [^\x00-\x20\x7f?\#\\\\]*)? \z~xi';

    public readonly bool $isLoopback;

    /** Scheme and host: what a path goes behind. */
    private readonly string $origin;

    /** What is before the paths of the API. */
    private readonly string $prefix;

    /** @throws ConfigurationException */
    public function __construct(string $url, private readonly Secret $apiKey, bool $allowHttp)
    {
        // Without this, a line break in a key would write headers of its own.
        if (preg_match('/\A[\x21-\x7e]+\z/', $apiKey->reveal()) !== 1) {
            throw new ConfigurationException('The API key is empty, or has characters that no key has.');
        }
        if (preg_match(self::ADDRESS, $url, $parts) !== 1) {
            throw new ConfigurationException('The address is to be like https://blog.example.org.');
        }
        [, $scheme, $host, $port, $path] = $parts + [3 => '', 4 => ''];
        $this->isLoopback = self::isLoopback(strtolower($host));
        if (strtolower($scheme) === 'http' && !$this->isLoopback && !$allowHttp) {
            throw new ConfigurationException('Plain HTTP would show the key on its way: use https://, or allowHttp.');
        }
        $this->origin = "$scheme://$host$port";
        $this->prefix = preg_replace('~' . self::API . '\z~', '', rtrim($path, '/')) . self::API;
    }

    /** The path and the query of a call, as they are asked for. */
    public function target(Call $call): string
    {
        return $this->prefix . $call->target();
    }

    public function url(Call $call): string
    {
        return $this->origin . $this->target($call);
    }

    /**
     * All headers of a call. They hold the key, so they are to go nowhere but into the request.
     *
     * @return array<string, string>
     */
    public function headers(Call $call): array
    {
        return [
            'Authorization' => 'Bearer ' . $this->apiKey->reveal(),
            'User-Agent' => \sprintf('blogsvc-php/%s (PHP %s)', Client::VERSION, \PHP_VERSION),
            ...$call->headers,
        ];
    }

    private static function isLoopback(string $host): bool
    {
        $isV4 = filter_var($host, \FILTER_VALIDATE_IP, \FILTER_FLAG_IPV4) !== false;

        return $host === 'localhost' || $host === '[::1]' || ($isV4 && str_starts_with($host, '127.'));
    }
}
