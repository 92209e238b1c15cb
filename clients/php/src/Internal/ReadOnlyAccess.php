<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * The half of ArrayAccess that writes, for what is read only.
 *
 * @internal
 */
trait ReadOnlyAccess
{
    public function offsetSet(mixed $offset, mixed $value): void
    {
        $this->refuse();
    }

    public function offsetUnset(mixed $offset): void
    {
        $this->refuse();
    }

    private function refuse(): never
    {
        throw new \LogicException('An answer is read only. To change what it tells of, call the API.');
    }
}
