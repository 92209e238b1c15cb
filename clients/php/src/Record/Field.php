<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What a platform asks to be connected.
 *
 * @property-read string $name
 * @property-read string $label
 * @property-read string $help
 * @property-read bool $secret
 * @property-read bool $required
 * @property-read string $default
 * @property-read list<string> $choices
 */
final class Field extends Record
{
}
