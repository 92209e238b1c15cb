<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * A post as it was saved once.
 *
 * @property-read int $number
 * @property-read string $reason
 * @property-read int|null $restoredFrom
 * @property-read bool $isLive
 * @property-read string $title
 * @property-read \DateTimeImmutable $createdAt
 */
final class Revision extends Record
{
    protected const TIMES = ['createdAt'];
}
