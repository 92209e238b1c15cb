<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * How posts did. What `groupBy` does not ask for is empty.
 *
 * @property-read DateRange $range
 * @property-read Totals $totals
 * @property-read list<DayFigures> $series
 * @property-read list<PlatformFigures> $byPlatform
 * @property-read list<PostFigures> $byPost
 * @property-read list<Referrer> $referrers
 * @property-read \DateTimeImmutable $collectedAt
 */
final class Analytics extends Record
{
    protected const TIMES = ['collectedAt'];

    protected const RECORDS = [
        'range' => DateRange::class,
        'totals' => Totals::class,
        'series' => DayFigures::class,
        'byPlatform' => PlatformFigures::class,
        'byPost' => PostFigures::class,
        'referrers' => Referrer::class,
    ];
}
