<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What each destination would be sent.
 *
 * @property-read list<Trial> $platforms
 */
final class Preview extends Record
{
    protected const RECORDS = [
        'platforms' => Trial::class,
    ];
}
