<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * An address that is told of events.
 *
 * @property-read string $id
 * @property-read string $url
 * @property-read list<string> $events
 * @property-read string $description
 * @property-read bool $enabled
 * @property-read \DateTimeImmutable|null $disabledAt
 * @property-read string|null $disabledReason owner, failing, gone
 * @property-read \DateTimeImmutable|null $failingSince
 * @property-read \DateTimeImmutable|null $formerSecretUntil
 * @property-read \DateTimeImmutable $createdAt
 * @property-read \DateTimeImmutable $updatedAt
 */
final class Webhook extends Record
{
    protected const TIMES = ['disabledAt', 'failingSince', 'formerSecretUntil', 'createdAt', 'updatedAt'];
}
