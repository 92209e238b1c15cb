<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * `lookedAt` is when the platform was last asked whether the copy is as it was sent.
 *
 * @property-read string $id
 * @property-read string $platform
 * @property-read string $state queued, sending, delivered, retrying, failed, uncertain, withdrawn
 * @property-read string|null $url
 * @property-read string|null $remoteId
 * @property-read int $attempts
 * @property-read DeliveryError|null $lastError
 * @property-read \DateTimeImmutable|null $nextAttemptAt
 * @property-read \DateTimeImmutable|null $deliveredAt
 * @property-read string|null $drift edited, gone
 * @property-read string $postId
 * @property-read \DateTimeImmutable|null $lookedAt
 * @property-read list<Attempt> $attemptLog
 */
final class DeliveryDetail extends Record
{
    protected const TIMES = ['nextAttemptAt', 'deliveredAt', 'lookedAt'];

    protected const RECORDS = [
        'lastError' => DeliveryError::class,
        'attemptLog' => Attempt::class,
    ];
}
