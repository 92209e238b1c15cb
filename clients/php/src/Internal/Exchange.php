<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConnectionException;
use Blogsvc\Exception\TimeoutException;
use Blogsvc\Response;

/**
 * A request that is under way, and its answer as it comes. It goes by curl_multi, which gives what has come while more
 * is awaited, and leaves it to us how long that may take.
 *
 * @internal
 */
final class Exchange
{
    private readonly \CurlMultiHandle $multi;
    private readonly \CurlHandle $handle;

    private int $status = 0;

    /** @var array<string, string> */
    private array $headers = [];

    private bool $hasHead = false;
    private bool $isOver = false;
    private string $arrived = '';

    /**
     * @param array<int, mixed> $options for curl; they hold the key
     * @param float             $silence for how many seconds nothing may come
     */
    public function __construct(#[\SensitiveParameter] array $options, private readonly float $silence)
    {
        $this->handle = curl_init();
        curl_setopt_array($this->handle, $options);
        curl_setopt($this->handle, \CURLOPT_SUPPRESS_CONNECT_HEADERS, true);
        curl_setopt($this->handle, \CURLOPT_HEADERFUNCTION, $this->hearHeader(...));
        curl_setopt($this->handle, \CURLOPT_WRITEFUNCTION, $this->hearBody(...));
        $this->multi = curl_multi_init();
        curl_multi_add_handle($this->multi, $this->handle);
    }

    /**
     * Status and headers, once they are there.
     *
     * @throws ConnectionException
     */
    public function response(): Response
    {
        while (!$this->hasHead && $this->goOn()) {
        }

        return new Response($this->status, $this->headers);
    }

    /**
     * The body, part by part as it arrives.
     *
     * @return \Generator<int, string>
     *
     * @throws ConnectionException
     */
    public function parts(): \Generator
    {
        do {
            $isMore = $this->goOn();
            if ($this->arrived !== '') {
                [$part, $this->arrived] = [$this->arrived, ''];
                yield $part;
            }
        } while ($isMore);
    }

    /** Hang up, also half-way. */
    public function close(): void
    {
        if (!$this->isOver) {
            $this->isOver = true;
            curl_multi_remove_handle($this->multi, $this->handle);
            curl_multi_close($this->multi);
            // They refer to this, and this to the handle.
            curl_reset($this->handle);
        }
    }

    /**
     * Wait until something has come: whether there may be more.
     *
     * @throws ConnectionException
     */
    private function goOn(): bool
    {
        if ($this->isOver) {
            return false;
        }
        $seen = $this->traffic();
        $end = hrtime(true) + (int) ($this->silence * 1e9);
        while (true) {
            curl_multi_exec($this->multi, $running);
            $done = curl_multi_info_read($this->multi);
            if ($done !== false) {
                $this->finish($done['result']);

                return false;
            }
            if ($this->arrived !== '' || $this->traffic() !== $seen) {
                return true;
            }
            $left = ($end - hrtime(true)) / 1e9;
            if ($left <= 0) {
                $this->fail(\sprintf('Nothing came for %g s', $this->silence), TimeoutException::class);
            }
            if (curl_multi_select($this->multi, min($left, 1.0)) < 1) {
                // While there is nothing to wait on yet, such as while a name is looked up, it returns at once.
                usleep(1000);
            }
        }
    }

    /**
     * How far it has gone, in either direction.
     *
     * @return array<int, int|float|bool>
     */
    private function traffic(): array
    {
        return [
            curl_getinfo($this->handle, \CURLINFO_PRETRANSFER_TIME) > 0,
            curl_getinfo($this->handle, \CURLINFO_SIZE_UPLOAD),
            curl_getinfo($this->handle, \CURLINFO_SIZE_DOWNLOAD),
            curl_getinfo($this->handle, \CURLINFO_HEADER_SIZE),
            $this->hasHead,
        ];
    }

    /** @throws ConnectionException */
    private function finish(int $code): void
    {
        if ($code === \CURLE_OK && $this->hasHead) {
            $this->close();

            return;
        }
        $class = $code === \CURLE_OPERATION_TIMEOUTED ? TimeoutException::class : ConnectionException::class;
        $this->fail(curl_error($this->handle) ?: (string) curl_strerror($code), $class);
    }

    /**
     * @param class-string<ConnectionException> $class
     *
     * @throws ConnectionException
     */
    private function fail(string $reason, string $class): never
    {
        $mayBeDone = curl_getinfo($this->handle, \CURLINFO_PRETRANSFER_TIME) > 0;
        $this->close();

        throw new $class("$reason.", $mayBeDone);
    }

    private function hearHeader(\CurlHandle $handle, string $line): int
    {
        if (preg_match('~\AHTTP/[\d.]+ (\d{3})~', $line, $found) === 1) {
            // Another head before the one that counts, such as 100 Continue, is forgotten.
            $this->status = (int) $found[1];
            $this->headers = [];
        } elseif (trim($line) === '') {
            $this->hasHead = $this->status >= 200;
        } elseif (!$this->hasHead && str_contains($line, ':')) {
            [$name, $value] = array_map(trim(...), explode(':', $line, 2));
            $name = strtolower($name);
            $this->headers[$name] = isset($this->headers[$name]) ? "{$this->headers[$name]}, $value" : $value;
        }

        return \strlen($line);
    }

    private function hearBody(\CurlHandle $handle, string $part): int
    {
        $this->arrived .= $part;

        return \strlen($part);
    }
}
