<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What would be sent to one platform, were it published now.
 *
 * @property-read string $platform
 * @property-read string $operation create, update, none
 * @property-read Record|null $payload
 * @property-read list<string> $warnings
 * @property-read list<Limit> $limits
 * @property-read DeliveryError|null $error
 */
final class Trial extends Record
{
    protected const RECORDS = [
        'limits' => Limit::class,
        'error' => DeliveryError::class,
    ];
}
