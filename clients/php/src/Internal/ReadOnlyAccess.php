<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * The write methods of ArrayAccess, which always throw.
 *
 * @internal
 */
trait ReadOnlyAccess
{
    public function offsetSet(mixed $offset, mixed $value): void
    {
        $this->throwReadOnly();
    }

    public function offsetUnset(mixed $offset): void
    {
        $this->throwReadOnly();
    }

    private function throwReadOnly(): never
    {
        throw new \LogicException('Records are read-only. To change a resource, call its update method.');
    }
}
