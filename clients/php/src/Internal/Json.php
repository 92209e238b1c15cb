<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Record;

/**
 * Encodes and decodes JSON.
 *
 * @internal
 */
final class Json
{
    private const FLAGS = \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE | \JSON_PRESERVE_ZERO_FRACTION
        | \JSON_THROW_ON_ERROR;

    /** @throws ConfigurationException if the value cannot be encoded */
    public static function encode(mixed $value): string
    {
        try {
            return json_encode(self::encodable($value), self::FLAGS);
        } catch (\JsonException $error) {
            throw new ConfigurationException("The fields cannot be encoded as JSON: {$error->getMessage()}.");
        }
    }

    /** Parses a JSON object. Returns null for anything else. Objects become stdClass, so that `{}` and `[]` differ. */
    public static function object(string $text): ?\stdClass
    {
        $value = json_decode($text, flags: \JSON_BIGINT_AS_STRING);

        return $value instanceof \stdClass ? $value : null;
    }

    /** @return array<array-key, mixed> the values with nested records converted to arrays */
    public static function plain(array $values): array
    {
        return array_map(static fn (mixed $value): mixed => match (true) {
            $value instanceof Record => $value->toArray(),
            \is_array($value) => self::plain($value),
            default => $value,
        }, $values);
    }

    private static function encodable(mixed $value): mixed
    {
        return match (true) {
            $value instanceof \DateTimeInterface => Time::format($value),
            \is_array($value) => array_map(self::encodable(...), $value),
            $value instanceof \stdClass => (object) array_map(self::encodable(...), get_object_vars($value)),
            default => $value,
        };
    }
}
