<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What was looked at.
 *
 * @property-read string $from
 * @property-read string $to
 * @property-read string $interval
 * @property-read string $timezone
 */
final class DateRange extends Record
{
}
