<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * @property-read string $code
 * @property-read string $detail
 */
final class DeliveryError extends Record
{
}
