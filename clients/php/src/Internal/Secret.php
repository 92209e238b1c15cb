<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * A text that is not shown: its object does not hold it, so that no way to print one finds it, var_export and array
 * casts included.
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
        throw new \LogicException('A secret is not serialized.');
    }

    private function __clone()
    {
    }
}
