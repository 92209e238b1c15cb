<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * The key that is asking. `limits` are calls a minute.
 *
 * @property-read string $id
 * @property-read string $name
 * @property-read string $prefix
 * @property-read list<string> $scopes
 * @property-read Rates $limits
 * @property-read \DateTimeImmutable $createdAt
 * @property-read \DateTimeImmutable|null $lastUsedAt
 * @property-read \DateTimeImmutable|null $expiresAt
 */
final class Me extends Record
{
    protected const TIMES = ['createdAt', 'lastUsedAt', 'expiresAt'];

    protected const RECORDS = [
        'limits' => Rates::class,
    ];
}
