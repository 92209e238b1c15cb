<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * One attempt to tell it, and what was answered.
 *
 * @property-read int $number
 * @property-read \DateTimeImmutable $startedAt
 * @property-read int|null $milliseconds
 * @property-read int|null $statusCode
 * @property-read DeliveryError|null $error
 * @property-read string $answer
 */
final class WebhookAttempt extends Record
{
    protected const TIMES = ['startedAt'];

    protected const RECORDS = [
        'error' => DeliveryError::class,
    ];
}
