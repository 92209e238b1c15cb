<?php

declare(strict_types=1);

namespace Blogsvc\Webhook;

use Blogsvc\Record;

/**
 * The summary of a post in a message, as it was when the message was created. Fetch the post for its other fields.
 *
 * @property-read string $id
 * @property-read string $title
 * @property-read string $slug
 * @property-read string $status
 * @property-read string|null $url
 * @property-read \DateTimeImmutable|null $scheduledAt
 * @property-read \DateTimeImmutable|null $publishedAt
 * @property-read \DateTimeImmutable $updatedAt
 * @property-read \DateTimeImmutable|null $deletedAt
 */
final class Post extends Record
{
    protected const TIMES = ['scheduledAt', 'publishedAt', 'updatedAt', 'deletedAt'];
}
