<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * The only answer that holds the secret.
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
 * @property-read string $secret
 */
final class WebhookWithSecret extends Record
{
    protected const TIMES = ['disabledAt', 'failingSince', 'formerSecretUntil', 'createdAt', 'updatedAt'];
}
