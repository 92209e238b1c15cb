<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * A string that is never shown. The object does not contain it, so that no dump of the object does, not even with
 * var_export or an array cast.
 *
 * @internal
 */
final class Secret implements \JsonSerializable
{
    /** @var \WeakMap<self, string>|null */
    private static ?\WeakMap $texts = null;

    public function __construct(#[\SensitiveParameter] string $text)
    {
        self::$texts ??= new \WeakMap();
        self::$texts[$this] = $text;
    }

    public function reveal(): string
    {
        return self::$texts[$this];
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['text' => '(hidden)'];
    }

    public function jsonSerialize(): string
    {
        return '(hidden)';
    }

    public function __serialize(): array
    {
        throw new \LogicException('A secret cannot be serialized.');
    }

    private function __clone()
    {
    }
}
