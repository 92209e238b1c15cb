<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * One attempt to send a post there, and what came of it.
 *
 * @property-read int $number
 * @property-read string $operation
 * @property-read \DateTimeImmutable $startedAt
 * @property-read \DateTimeImmutable|null $finishedAt
 * @property-read int|null $milliseconds
 * @property-read string|null $outcome
 * @property-read DeliveryError|null $error
 */
final class Attempt extends Record
{
    protected const TIMES = ['startedAt', 'finishedAt'];

    protected const RECORDS = [
        'error' => DeliveryError::class,
    ];
}
