<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Internal\Json;
use Blogsvc\Internal\ReadOnlyAccess;

/**
 * What was answered: read only, with all of its fields, also those that this version does not know.
 *
 *     $post->scheduledAt      // a DateTimeImmutable
 *     $post['scheduledAt']    // the text that was answered
 *     foreach ($post as $name => $value) ...
 *
 * @implements \ArrayAccess<string, mixed>
 * @implements \IteratorAggregate<string, mixed>
 */
class Record implements \ArrayAccess, \Countable, \IteratorAggregate, \JsonSerializable
{
    use ReadOnlyAccess;

    /** @var list<string> the fields that are times */
    protected const TIMES = [];

    /** @var array<string, class-string<Record>> the fields that are records of a kind, or lists of them */
    protected const RECORDS = [];

    /** @var array<array-key, mixed> */
    private readonly array $values;

    /** @internal */
    final public function __construct(
        \stdClass $document,
        /** What came along, where this is a whole answer and not a part of one. */
        public readonly ?Response $response = null,
    ) {
        $values = [];
        foreach (get_object_vars($document) as $name => $value) {
            $values[$name] = self::hydrated($value, static::RECORDS[$name] ?? self::class);
        }
        $this->values = $values;
    }

    /** Everything as plain arrays. An empty object is an empty array there. */
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
        $this->refuse();
    }

    public function __unset(string $name): void
    {
        $this->refuse();
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->values[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        if (!\array_key_exists($offset, $this->values)) {
            // As PHP does it for its own arrays and objects.
            trigger_error(\sprintf('There is no field "%s" in this %s', $offset, static::class), \E_USER_WARNING);

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
    private static function hydrated(mixed $value, string $class): mixed
    {
        return match (true) {
            $value instanceof \stdClass => new $class($value),
            \is_array($value) => array_map(static fn (mixed $one): mixed => self::hydrated($one, $class), $value),
            default => $value,
        };
    }
}
