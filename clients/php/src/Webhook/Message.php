<?php

declare(strict_types=1);

namespace Blogsvc\Webhook;

use Blogsvc\Record;

/**
 * What a webhook is told.
 *
 * @property-read string $type of the event
 * @property-read \DateTimeImmutable $timestamp
 * @property-read Data $data
 */
final class Message extends Record
{
    protected const TIMES = ['timestamp'];

    protected const RECORDS = ['data' => Data::class];
}
