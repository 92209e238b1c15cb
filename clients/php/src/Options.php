<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\ConfigurationException;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** The options of a client. */
final class Options
{
    /** @var (\Closure(array<string, mixed>): void)|null */
    public readonly ?\Closure $log;

    public readonly ?RequestFactoryInterface $requestFactory;
    public readonly ?StreamFactoryInterface $streamFactory;

    /**
     * @param float $timeout timeout of one attempt in seconds, for connecting and for each read of the response; not
     *     used with a PSR-18 client, which has its own
     * @param int $maxRetries maximum number of retries of a request
     * @param float $maxRetryWait seconds; if the server asks to wait longer, the request fails without a retry
     * @param float $retryFor seconds for which a request is retried beyond maxRetries; set 60 to keep trying while the
     *     server restarts
     * @param bool $allowHttp allow plain HTTP to other machines, which sends the API key unencrypted
     * @param (callable(array{
     *     method: string,
     *     path: string,
     *     attempt: int,
     *     status: int|null,
     *     error: class-string|null,
     *     milliseconds: int,
     *     requestId: string|null,
     *     retryIn: float|null,
     * }): void)|null $log called after every attempt; headers and bodies are never logged
     * @param ClientInterface|null $httpClient a PSR-18 client to use instead of ext-curl
     * @param RequestFactoryInterface|null $requestFactory PSR-17; required with httpClient, unless that implements it
     * @param StreamFactoryInterface|null $streamFactory PSR-17; required with httpClient, unless that or requestFactory
     *     implements it
     *
     * @throws ConfigurationException
     */
    public function __construct(
        public readonly float $timeout = 60,
        public readonly int $maxRetries = 4,
        public readonly float $maxRetryWait = 60,
        public readonly float $retryFor = 0,
        public readonly bool $allowHttp = false,
        ?callable $log = null,
        public readonly ?ClientInterface $httpClient = null,
        ?RequestFactoryInterface $requestFactory = null,
        ?StreamFactoryInterface $streamFactory = null,
    ) {
        if ($timeout <= 0) {
            throw new ConfigurationException('timeout must be greater than 0.');
        }
        if ($maxRetries < 0 || $maxRetryWait < 0 || $retryFor < 0) {
            throw new ConfigurationException('maxRetries, maxRetryWait and retryFor must be at least 0.');
        }
        $this->log = $log === null ? null : \Closure::fromCallable($log);
        $this->requestFactory = self::first(RequestFactoryInterface::class, $requestFactory, $httpClient);
        $this->streamFactory = self::first(StreamFactoryInterface::class, $streamFactory, $requestFactory, $httpClient);
        if ($httpClient !== null && ($this->requestFactory === null || $this->streamFactory === null)) {
            throw new ConfigurationException('httpClient requires a requestFactory and a streamFactory (PSR-17).');
        }
    }

    /**
     * Returns the first object that implements the interface, since one object often implements several.
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
