<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * A message with what was sent, and every attempt.
 *
 * @property-read string $id
 * @property-read string $type
 * @property-read string|null $eventId
 * @property-read string $state queued, sending, retrying, delivered, failed
 * @property-read int $attempts
 * @property-read DeliveryError|null $lastError
 * @property-read \DateTimeImmutable|null $nextAttemptAt
 * @property-read \DateTimeImmutable|null $deliveredAt
 * @property-read \DateTimeImmutable $createdAt
 * @property-read Record $payload
 * @property-read list<WebhookAttempt> $attemptLog
 */
final class WebhookDeliveryDetail extends Record
{
    protected const TIMES = ['nextAttemptAt', 'deliveredAt', 'createdAt'];

    protected const RECORDS = [
        'lastError' => DeliveryError::class,
        'attemptLog' => WebhookAttempt::class,
    ];
}
