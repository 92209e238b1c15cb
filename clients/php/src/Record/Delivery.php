<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * How a post fares at one destination.
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
 */
final class Delivery extends Record
{
    protected const TIMES = ['nextAttemptAt', 'deliveredAt'];

    protected const RECORDS = [
        'lastError' => DeliveryError::class,
    ];
}
