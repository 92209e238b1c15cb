<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What may be chosen per post, in `overrides`. Without choices, any line of text.
 *
 * @property-read string $name
 * @property-read string $label
 * @property-read string $help
 * @property-read string $default
 * @property-read list<string> $choices
 */
final class Option extends Record
{
}
