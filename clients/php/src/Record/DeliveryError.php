<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What went wrong: a code for programs, and words for people.
 *
 * @property-read string $code
 * @property-read string $detail
 */
final class DeliveryError extends Record
{
}
