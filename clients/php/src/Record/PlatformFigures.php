<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * The figures of one platform.
 *
 * @property-read int|null $views
 * @property-read int|null $visitors
 * @property-read int|null $likes
 * @property-read int|null $comments
 * @property-read int|null $shares
 * @property-read int|null $clicks
 * @property-read string $platform
 * @property-read DeliveryFigures $deliveries
 */
final class PlatformFigures extends Record
{
    protected const RECORDS = [
        'deliveries' => DeliveryFigures::class,
    ];
}
