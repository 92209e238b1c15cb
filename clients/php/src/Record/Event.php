<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * Something that happened.
 *
 * @property-read string $id
 * @property-read string $type
 * @property-read string|null $postId
 * @property-read string|null $deliveryId
 * @property-read Record $data
 * @property-read \DateTimeImmutable $createdAt
 */
final class Event extends Record
{
    protected const TIMES = ['createdAt'];
}
