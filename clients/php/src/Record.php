<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Internal\Json;
use Blogsvc\Internal\ReadOnlyAccess;

/**
 * An object that the API returned, or an object nested in one. It is read-only, and includes fields that this version
 * does not know.
 *
 *     $post->scheduledAt      // a DateTimeImmutable
 *     $post['scheduledAt']    // the string in the JSON
 *     foreach ($post as $name => $value) ...
 *
 * @implements \ArrayAccess<string, mixed>
 * @implements \IteratorAggregate<string, mixed>
 */
class Record implements \ArrayAccess, \Countable, \IteratorAggregate, \JsonSerializable
{
    use ReadOnlyAccess;

    /** @var list<string> fields that are times */
    protected const TIMES = [];

    /** @var array<string, class-string<Record>> fields that are records or lists of records, with their classes */
    protected const RECORDS = [];

    /** @var array<array-key, mixed> */
    private readonly array $values;

    /** @internal */
    final public function __construct(
        \stdClass $document,
        /** The status and headers of the HTTP response, or null on a nested object. */
        public readonly ?Response $response = null,
    ) {
        $values = [];
        foreach (get_object_vars($document) as $name => $value) {
            $values[$name] = self::hydrate($value, static::RECORDS[$name] ?? self::class);
        }
        $this->values = $values;
    }

    /** Converts the record to plain arrays. An empty object becomes an empty array. */
    public function toArray(): array
    {
        return Json::plain($this->values);
    }

    public function __get(string $name): mixed
    {
        $value = $this[$name];

        return \is_string($value) && \in_array($name, static::TIMES, true) ? new \DateTimeImmutable($value) : $value;
    }

    public function __isset(string $name): bool
    {
        return isset($this->values[$name]);
    }

    public function __set(string $name, mixed $value): void
    {
        $this->throwReadOnly();
    }

    public function __unset(string $name): void
    {
        $this->throwReadOnly();
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->values[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        if (!\array_key_exists($offset, $this->values)) {
            // A warning, as PHP does for its own arrays and objects.
            trigger_error(\sprintf('Undefined field "%s" in %s', $offset, static::class), \E_USER_WARNING);

            return null;
        }

        return $this->values[$offset];
    }

    public function count(): int
    {
        return \count($this->values);
    }

    public function getIterator(): \Generator
    {
        foreach ($this->values as $name => $value) {
            yield (string) $name => $value;
        }
    }

    public function jsonSerialize(): \stdClass
    {
        return (object) $this->values;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return $this->values;
    }

    /** @param class-string<self> $class */
    private static function hydrate(mixed $value, string $class): mixed
    {
        return match (true) {
            $value instanceof \stdClass => new $class($value),
            \is_array($value) => array_map(static fn (mixed $one): mixed => self::hydrate($one, $class), $value),
            default => $value,
        };
    }
}
