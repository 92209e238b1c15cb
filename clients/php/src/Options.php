<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\ConfigurationException;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** How a client goes about its requests. */
final class Options
{
    /** @var (\Closure(array<string, mixed>): void)|null */
    public readonly ?\Closure $log;

    public readonly ?RequestFactoryInterface $requestFactory;
    public readonly ?StreamFactoryInterface $streamFactory;

    /**
     * @param float $timeout seconds for one attempt, until the connection stands and until each part of the answer is
     *     there; a PSR-18 client has its own instead
     * @param int $maxRetries how often a request is tried again
     * @param float $maxRetryWait seconds; a server that asks for more is not waited for: the error comes at once
     * @param bool $allowHttp plain HTTP beyond loopback, which is refused otherwise: it would show the key on its way
     * @param (callable(array{
     *     method: string,
     *     path: string,
     *     attempt: int,
     *     status: int|null,
     *     error: class-string|null,
     *     milliseconds: int,
     *     requestId: string|null,
     *     retryIn: float|null,
     * }): void)|null $log is told of every attempt; never of a header or a body
     * @param ClientInterface|null $httpClient a PSR-18 client, through which requests go instead of ext-curl
     * @param RequestFactoryInterface|null $requestFactory (PSR-17) needed with it, unless it is one itself
     * @param StreamFactoryInterface|null $streamFactory (PSR-17) needed with it, unless it or the other factory is one
     *
     * @throws ConfigurationException
     */
    public function __construct(
        public readonly float $timeout = 60,
        public readonly int $maxRetries = 4,
        public readonly float $maxRetryWait = 60,
        public readonly bool $allowHttp = false,
        ?callable $log = null,
        public readonly ?ClientInterface $httpClient = null,
        ?RequestFactoryInterface $requestFactory = null,
        ?StreamFactoryInterface $streamFactory = null,
    ) {
        if ($timeout <= 0 || $maxRetries < 0 || $maxRetryWait < 0) {
            throw new ConfigurationException('The timeout is more than 0, maxRetries and maxRetryWait at least 0.');
        }
        $this->log = $log === null ? null : \Closure::fromCallable($log);
        $this->requestFactory = self::first(RequestFactoryInterface::class, $requestFactory, $httpClient);
        $this->streamFactory = self::first(StreamFactoryInterface::class, $streamFactory, $requestFactory, $httpClient);
        if ($httpClient !== null && ($this->requestFactory === null || $this->streamFactory === null)) {
            throw new ConfigurationException('With an httpClient go a requestFactory and a streamFactory (PSR-17).');
        }
    }

    /**
     * The first that can do it: one object is often several of them.
     *
     * @template T of object
     *
     * @param class-string<T> $interface
     *
     * @return T|null
     */
    private static function first(string $interface, ?object ...$candidates): ?object
    {
        foreach ($candidates as $candidate) {
            if ($candidate instanceof $interface) {
                return $candidate;
            }
        }

        return null;
    }
}
