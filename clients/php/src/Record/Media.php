<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * A picture. `markdown` is what to paste into a post; `sizes` are smaller ones, which our own pages choose from.
 *
 * @property-read string $id
 * @property-read string $url
 * @property-read string $filename
 * @property-read string $type
 * @property-read int $width
 * @property-read int $height
 * @property-read int $bytes
 * @property-read string $alt
 * @property-read list<Size> $sizes
 * @property-read string $markdown
 * @property-read \DateTimeImmutable $createdAt
 */
final class Media extends Record
{
    protected const TIMES = ['createdAt'];

    protected const RECORDS = [
        'sizes' => Size::class,
    ];
}
