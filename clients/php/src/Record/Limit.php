<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * The most that a platform takes of some part.
 *
 * @property-read string $part
 * @property-read int $most
 * @property-read string $unit
 */
final class Limit extends Record
{
}
