<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Record;

/**
 * JSON, and PHP's values for it.
 *
 * @internal
 */
final class Json
{
    private const FLAGS = \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE | \JSON_PRESERVE_ZERO_FRACTION
        | \JSON_THROW_ON_ERROR;

    /** @throws ConfigurationException where it cannot be said in JSON */
    public static function encode(mixed $value): string
    {
        try {
            return json_encode(self::sayable($value), self::FLAGS);
        } catch (\JsonException $error) {
            throw new ConfigurationException("The fields cannot be sent as JSON: {$error->getMessage()}.");
        }
    }

    /** The object that a text holds, or null where it holds none. Objects stay objects, so `{}` and `[]` differ. */
    public static function object(string $text): ?\stdClass
    {
        $value = json_decode($text, flags: \JSON_BIGINT_AS_STRING);

        return $value instanceof \stdClass ? $value : null;
    }

    /** @return array<array-key, mixed> records as arrays, all the way down */
    public static function plain(array $values): array
    {
        return array_map(static fn (mixed $value): mixed => match (true) {
            $value instanceof Record => $value->toArray(),
            \is_array($value) => self::plain($value),
            default => $value,
        }, $values);
    }

    private static function sayable(mixed $value): mixed
    {
        return match (true) {
            $value instanceof \DateTimeInterface => Time::text($value),
            \is_array($value) => array_map(self::sayable(...), $value),
            $value instanceof \stdClass => (object) array_map(self::sayable(...), get_object_vars($value)),
            default => $value,
        };
    }
}
