<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\BlogsvcException;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Internal\ReadOnlyAccess;

/**
 * A page of a list. To iterate over it goes through the rows of this page and of all after it.
 *
 * @template T of Record
 *
 * @implements \ArrayAccess<string, mixed>
 * @implements \IteratorAggregate<int, T>
 */
final class Page implements \ArrayAccess, \IteratorAggregate, \JsonSerializable
{
    use ReadOnlyAccess;

    /** @var list<T> the rows of this page */
    public readonly array $data;

    /** The `cursor` of the next page, null on the last. */
    public readonly ?string $nextCursor;

    public readonly ?Response $response;

    /**
     * @internal
     *
     * @param class-string<T> $class
     */
    public function __construct(
        private readonly Api $api,
        private readonly Call $call,
        private readonly string $class,
        private readonly Record $answer,
    ) {
        $this->data = $answer['data'];
        $this->nextCursor = $answer['nextCursor'] ?? null;
        $this->response = $answer->response;
    }

    public function hasNext(): bool
    {
        return $this->nextCursor !== null;
    }

    /**
     * The next page, or null after the last.
     *
     * @return self<T>|null
     *
     * @throws BlogsvcException
     */
    public function next(): ?self
    {
        if ($this->nextCursor === null) {
            return null;
        }

        return $this->api->page($this->class, $this->call->withQuery(['cursor' => $this->nextCursor]));
    }

    /**
     * This page and all after it, each asked for when it is needed.
     *
     * @return \Generator<int, self<T>>
     *
     * @throws BlogsvcException
     */
    public function pages(): \Generator
    {
        for ($page = $this; $page !== null; $page = $page->next()) {
            yield $page;
        }
    }

    /**
     * @return \Generator<int, T>
     *
     * @throws BlogsvcException
     */
    public function getIterator(): \Generator
    {
        foreach ($this->pages() as $page) {
            foreach ($page->data as $row) {
                yield $row;
            }
        }
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->answer[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return $this->answer[$offset];
    }

    public function jsonSerialize(): Record
    {
        return $this->answer;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['data' => $this->data, 'nextCursor' => $this->nextCursor];
    }
}
