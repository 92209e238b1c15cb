<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * A post, and where it went.
 *
 * @property-read string $id
 * @property-read string $title
 * @property-read string $content
 * @property-read string $summary
 * @property-read string $slug
 * @property-read list<string> $tags
 * @property-read list<string> $platforms
 * @property-read \DateTimeImmutable|null $scheduledAt
 * @property-read string $status draft, scheduled, publishing, published, partial, failed, missed, unpublished
 * @property-read string|null $canonicalUrl
 * @property-read string|null $coverImage
 * @property-read string|null $language
 * @property-read Record $overrides
 * @property-read string|null $url
 * @property-read bool $hasUnpublishedChanges
 * @property-read int $wordCount
 * @property-read \DateTimeImmutable $createdAt
 * @property-read \DateTimeImmutable $updatedAt
 * @property-read \DateTimeImmutable|null $publishedAt
 * @property-read \DateTimeImmutable|null $deletedAt
 * @property-read list<Delivery> $deliveries
 */
final class Post extends Record
{
    protected const TIMES = ['scheduledAt', 'createdAt', 'updatedAt', 'publishedAt', 'deletedAt'];

    protected const RECORDS = [
        'deliveries' => Delivery::class,
    ];
}
