<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\BlogsvcException;
use Blogsvc\Internal\ReadOnlyAccess;
use Blogsvc\Internal\Request;
use Blogsvc\Internal\Requestor;

/**
 * A page of a list. Iterating over it yields the rows of this page and of all following pages.
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

    /** The `cursor` of the next page, or null on the last page. */
    public readonly ?string $nextCursor;

    public readonly ?Response $response;

    /**
     * @internal
     *
     * @param class-string<T> $class
     */
    public function __construct(
        private readonly Requestor $requestor,
        private readonly Request $request,
        private readonly string $class,
        private readonly Record $record,
    ) {
        $this->data = $record['data'];
        $this->nextCursor = $record['nextCursor'] ?? null;
        $this->response = $record->response;
    }

    /** Whether there is another page. */
    public function hasNext(): bool
    {
        return $this->nextCursor !== null;
    }

    /**
     * Fetches the next page. Returns null on the last page.
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

        return $this->requestor->requestPage($this->class, $this->request->withQuery(['cursor' => $this->nextCursor]));
    }

    /**
     * Yields this page and all following pages, each fetched when it is reached.
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
        return isset($this->record[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return $this->record[$offset];
    }

    public function jsonSerialize(): Record
    {
        return $this->record;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['data' => $this->data, 'nextCursor' => $this->nextCursor];
    }
}
