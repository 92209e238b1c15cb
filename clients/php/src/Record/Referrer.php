<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * From where readers came.
 *
 * @property-read string $host
 * @property-read int $views
 */
final class Referrer extends Record
{
}
