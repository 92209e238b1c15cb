<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * Calls a minute.
 *
 * @property-read int $read
 * @property-read int $write
 * @property-read int $publish
 */
final class Rates extends Record
{
}
