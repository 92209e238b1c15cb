<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * RFC 9457.
 *
 * @property-read string $type
 * @property-read string $title
 * @property-read int $status
 * @property-read string $detail
 * @property-read string $instance
 * @property-read list<ProblemError>|null $errors
 */
final class Problem extends Record
{
    protected const RECORDS = [
        'errors' => ProblemError::class,
    ];
}
