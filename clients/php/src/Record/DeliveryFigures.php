<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * Counts by outcome; `successRate` is 0 to 1, `medianLateness` in seconds; null without a case.
 *
 * @property-read int $delivered
 * @property-read int $failed
 * @property-read int $uncertain
 * @property-read int $pending
 * @property-read int $withdrawn
 * @property-read int $retried
 * @property-read float|null $successRate
 * @property-read float|null $medianLateness
 */
final class DeliveryFigures extends Record
{
}
