<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What became of one operation: its status, with the post or the problem that it would have answered alone.
 *
 * @property-read int $status
 * @property-read Post|null $post
 * @property-read Problem|null $problem
 */
final class Result extends Record
{
    protected const RECORDS = [
        'post' => Post::class,
        'problem' => Problem::class,
    ];
}
