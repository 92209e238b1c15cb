<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What publishing would send to each platform.
 *
 * @property-read bool $dryRun
 * @property-read list<Trial> $platforms
 */
final class DryRun extends Record
{
    protected const RECORDS = [
        'platforms' => Trial::class,
    ];
}
