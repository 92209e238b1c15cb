<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What became of each operation, in their order.
 *
 * @property-read list<Result> $results
 */
final class Bulk extends Record
{
    protected const RECORDS = [
        'results' => Result::class,
    ];
}
