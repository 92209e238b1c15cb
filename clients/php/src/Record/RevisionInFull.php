<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * A revision with its words.
 *
 * @property-read string $content
 * @property-read string $summary
 * @property-read string $slug
 * @property-read list<string> $tags
 * @property-read string|null $canonicalUrl
 * @property-read string|null $coverImage
 * @property-read string|null $language
 * @property-read Record $overrides
 * @property-read int $number
 * @property-read string $reason
 * @property-read int|null $restoredFrom
 * @property-read bool $isLive
 * @property-read string $title
 * @property-read \DateTimeImmutable $createdAt
 */
final class RevisionInFull extends Record
{
    protected const TIMES = ['createdAt'];
}
