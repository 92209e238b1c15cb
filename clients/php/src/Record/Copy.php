<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * How a copy stands there. `unknown`: the platform does not tell, or could not be asked; `detail` says why.
 *
 * @property-read string $deliveryId
 * @property-read string $platform
 * @property-read string $state in-step, edited, gone, unknown
 * @property-read string|null $url
 * @property-read string|null $detail
 */
final class Copy extends Record
{
}
