<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * The figures of a day, or of the week or month that begins with it.
 *
 * @property-read int|null $views
 * @property-read int|null $visitors
 * @property-read int|null $likes
 * @property-read int|null $comments
 * @property-read int|null $shares
 * @property-read int|null $clicks
 * @property-read string $date
 */
final class DayFigures extends Record
{
}
