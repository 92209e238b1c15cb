<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * A smaller one of a picture.
 *
 * @property-read int $width
 * @property-read int $height
 * @property-read string $url
 * @property-read int $bytes
 */
final class Size extends Record
{
}
