<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConnectionException;
use Blogsvc\Exception\TimeoutException;
use Blogsvc\Response;

/**
 * A request in flight, and its response as it arrives. Uses curl_multi, which returns data before the transfer has
 * finished and lets us implement the idle timeout.
 *
 * @internal
 */
final class CurlTransfer
{
    private readonly \CurlMultiHandle $multi;
    private readonly \CurlHandle $handle;

    private int $status = 0;

    /** @var array<string, string> */
    private array $headers = [];

    private bool $hasHeaders = false;
    private bool $isClosed = false;
    private string $buffer = '';

    /**
     * @param array<int, mixed> $options     curl options, which contain the API key
     * @param float             $idleTimeout the longest time without any data, in seconds
     */
    public function __construct(#[\SensitiveParameter] array $options, private readonly float $idleTimeout)
    {
        $this->handle = curl_init();
        curl_setopt_array($this->handle, $options);
        curl_setopt($this->handle, \CURLOPT_SUPPRESS_CONNECT_HEADERS, true);
        curl_setopt($this->handle, \CURLOPT_HEADERFUNCTION, $this->onHeader(...));
        curl_setopt($this->handle, \CURLOPT_WRITEFUNCTION, $this->onBody(...));
        $this->multi = curl_multi_init();
        curl_multi_add_handle($this->multi, $this->handle);
    }

    /**
     * Waits for the status and headers and returns them.
     *
     * @throws ConnectionException
     */
    public function response(): Response
    {
        while (!$this->hasHeaders && $this->advance()) {
        }

        return new Response($this->status, $this->headers);
    }

    /**
     * Yields the body as it arrives.
     *
     * @return \Generator<int, string>
     *
     * @throws ConnectionException
     */
    public function chunks(): \Generator
    {
        do {
            $hasMore = $this->advance();
            if ($this->buffer !== '') {
                [$chunk, $this->buffer] = [$this->buffer, ''];
                yield $chunk;
            }
        } while ($hasMore);
    }

    /** Closes the connection, even if the transfer has not finished. */
    public function close(): void
    {
        if (!$this->isClosed) {
            $this->isClosed = true;
            curl_multi_remove_handle($this->multi, $this->handle);
            curl_multi_close($this->multi);
            // Removes the callbacks, which form a reference cycle with this object.
            curl_reset($this->handle);
        }
    }

    /**
     * Waits until data has arrived. Returns false if the transfer has finished.
     *
     * @throws ConnectionException
     */
    private function advance(): bool
    {
        if ($this->isClosed) {
            return false;
        }
        $progress = $this->progress();
        $deadline = hrtime(true) + (int) ($this->idleTimeout * 1e9);
        while (true) {
            curl_multi_exec($this->multi, $running);
            $done = curl_multi_info_read($this->multi);
            if ($done !== false) {
                $this->finish($done['result']);

                return false;
            }
            if ($this->buffer !== '' || $this->progress() !== $progress) {
                return true;
            }
            $left = ($deadline - hrtime(true)) / 1e9;
            if ($left <= 0) {
                $this->fail(\sprintf('No data for %g s', $this->idleTimeout), TimeoutException::class);
            }
            if (curl_multi_select($this->multi, min($left, 1.0)) < 1) {
                // Without a socket to wait for, for example during a DNS lookup, curl_multi_select returns at once.
                usleep(1000);
            }
        }
    }

    /**
     * Returns counters of the transfer that change with any activity.
     *
     * @return array<int, int|float|bool>
     */
    private function progress(): array
    {
        return [
            curl_getinfo($this->handle, \CURLINFO_PRETRANSFER_TIME) > 0,
            curl_getinfo($this->handle, \CURLINFO_SIZE_UPLOAD),
            curl_getinfo($this->handle, \CURLINFO_SIZE_DOWNLOAD),
            curl_getinfo($this->handle, \CURLINFO_HEADER_SIZE),
            $this->hasHeaders,
        ];
    }

    /** @throws ConnectionException */
    private function finish(int $code): void
    {
        if ($code === \CURLE_OK && $this->hasHeaders) {
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
        $wasSent = curl_getinfo($this->handle, \CURLINFO_PRETRANSFER_TIME) > 0;
        $this->close();

        throw new $class("$reason.", $wasSent);
    }

    private function onHeader(\CurlHandle $handle, string $line): int
    {
        if (preg_match('~\AHTTP/[\d.]+ (\d{3})~', $line, $match) === 1) {
            // Discards the headers of an informational response, such as 100 Continue.
            $this->status = (int) $match[1];
            $this->headers = [];
        } elseif (trim($line) === '') {
            $this->hasHeaders = $this->status >= 200;
        } elseif (!$this->hasHeaders && str_contains($line, ':')) {
            [$name, $value] = array_map(trim(...), explode(':', $line, 2));
            $name = strtolower($name);
            $this->headers[$name] = isset($this->headers[$name]) ? "{$this->headers[$name]}, $value" : $value;
        }

        return \strlen($line);
    }

    private function onBody(\CurlHandle $handle, string $chunk): int
    {
        $this->buffer .= $chunk;

        return \strlen($chunk);
    }
}
