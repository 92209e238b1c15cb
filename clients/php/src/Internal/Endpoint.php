<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Client;
use Blogsvc\Exception\ConfigurationException;

/**
 * The base URL of the API and the API key.
 *
 * @internal
 */
final class Endpoint
{
    private const API = '/api/v1';

    /** Scheme, host, port and path. No user name, no query, and no characters that URL parsers treat differently. */
    private const URL = '~\A (https?) :// (\[ [0-9a-f:.]+ \] | [^\x00-\x20\x7f/?\#@\\\\:\[\]]+) (:\d+)?
        (/ [^\x00-\x20\x7f?\#\\\\]*)? \z~xi';

    public readonly bool $isLoopback;

    /** Scheme, host and port. */
    private readonly string $origin;

    /** The path before the paths of operations. */
    private readonly string $prefix;

    /** @throws ConfigurationException */
    public function __construct(
        #[\SensitiveParameter] string $url,
        private readonly Secret $apiKey,
        bool $allowHttp,
    ) {
        if (str_contains($apiKey->reveal(), '://')) {
            throw new ConfigurationException('apiKey is a URL. Pass the API key first, then the URL.');
        }
        if (str_starts_with($url, 'bsk_')) {
            throw new ConfigurationException('baseUrl is an API key. Pass the API key first, then the URL.');
        }
        // A line break in the key would allow header injection.
        if (preg_match('/\A[\x21-\x7e]+\z/', $apiKey->reveal()) !== 1) {
            throw new ConfigurationException('The API key is empty or contains an invalid character.');
        }
        if (preg_match(self::URL, $url, $parts) !== 1) {
            throw new ConfigurationException('The URL must be like https://blog.example.org.');
        }
        [, $scheme, $host, $port, $path] = $parts + [3 => '', 4 => ''];
        $this->isLoopback = self::isLoopback(strtolower($host));
        if (strtolower($scheme) === 'http' && !$this->isLoopback && !$allowHttp) {
            throw new ConfigurationException(
                'The URL uses plain HTTP, which sends the API key unencrypted. Use https, or set allowHttp.',
            );
        }
        $this->origin = "$scheme://$host$port";
        $this->prefix = preg_replace('~' . self::API . '\z~', '', rtrim($path, '/')) . self::API;
    }

    /** Returns the path and query of a request. */
    public function target(Request $request): string
    {
        return $this->prefix . $request->target();
    }

    public function url(Request $request): string
    {
        return $this->origin . $this->target($request);
    }

    /**
     * Returns all headers of a request. They contain the API key: do not log them.
     *
     * @return array<string, string>
     */
    public function headers(Request $request): array
    {
        return [
            'Authorization' => 'Bearer ' . $this->apiKey->reveal(),
            'User-Agent' => \sprintf('blogsvc-php/%s (PHP %s)', Client::VERSION, \PHP_VERSION),
            ...$request->headers,
        ];
    }

    private static function isLoopback(string $host): bool
    {
        $isV4 = filter_var($host, \FILTER_VALIDATE_IP, \FILTER_FLAG_IPV4) !== false;

        return $host === 'localhost' || $host === '[::1]' || ($isV4 && str_starts_with($host, '127.'));
    }
}
