<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Internal\Request;
use Blogsvc\Internal\Secret;
use Blogsvc\Internal\Endpoint;
use PHPUnit\Framework\TestCase;

final class EndpointTest extends TestCase
{
    /**
     * @testWith ["https://b.example", "https://b.example/api/v1/me"]
     *           ["https://b.example/", "https://b.example/api/v1/me"]
     *           ["https://b.example/api/v1/", "https://b.example/api/v1/me"]
     *           ["https://b.example:8443/blog/api/v1", "https://b.example:8443/blog/api/v1/me"]
     *           ["http://localhost:8000", "http://localhost:8000/api/v1/me"]
     *           ["http://127.9.8.7", "http://127.9.8.7/api/v1/me"]
     *           ["http://[::1]:8000", "http://[::1]:8000/api/v1/me"]
     */
    public function testTheUrlIsNormalized(string $baseUrl, string $url): void
    {
        $endpoint = new Endpoint($baseUrl, new Secret('bsk_x'), false);
        self::assertSame($url, $endpoint->url(Request::create('GET', '/me')));
    }

    /**
     * @testWith ["http://b.example"]
     *           ["http://127.0.0.1.example.org"]
     *           ["http://localhost.example.org"]
     *           ["http://0.0.0.0"]
     *           ["http://[::2]"]
     *           ["http://127.0.0.1@evil.example"]
     *           ["http://localhost\\@evil.example"]
     *           ["http://localhost#@evil.example"]
     *           ["https://user:word@b.example"]
     *           ["https://b.example?x"]
     *           ["https://b.example\n"]
     *           ["ftp://localhost"]
     *           ["b.example"]
     *           [""]
     */
    public function testAnInvalidUrlIsRejected(string $baseUrl): void
    {
        $this->expectException(ConfigurationException::class);
        new Endpoint($baseUrl, new Secret('bsk_x'), false);
    }

    public function testPlainHttpCanBeAllowed(): void
    {
        $endpoint = new Endpoint('http://b.example', new Secret('bsk_x'), true);
        self::assertSame('http://b.example/api/v1/me', $endpoint->url(Request::create('GET', '/me')));
    }
}
