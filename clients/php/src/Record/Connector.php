<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * A platform that can be connected: what it asks, what it takes, what it can do, and what that leaves open.
 *
 * `once` says why there is never a second copy.
 *
 * @property-read string $key
 * @property-read string $label
 * @property-read string $kind article, announcement, newsletter, file, event
 * @property-read string $docs
 * @property-read list<Field> $fields
 * @property-read list<Option> $options
 * @property-read list<Limit> $limits
 * @property-read list<string> $carries
 * @property-read list<string> $abilities
 * @property-read list<string> $caveats
 * @property-read string $once
 */
final class Connector extends Record
{
    protected const RECORDS = [
        'fields' => Field::class,
        'options' => Option::class,
        'limits' => Limit::class,
    ];
}
