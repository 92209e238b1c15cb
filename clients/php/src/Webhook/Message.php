<?php

declare(strict_types=1);

namespace Blogsvc\Webhook;

use Blogsvc\Record;

/**
 * A verified webhook message.
 *
 * @property-read string $type the type of the event, or `webhook.test`
 * @property-read \DateTimeImmutable $timestamp
 * @property-read Data $data
 */
final class Message extends Record
{
    protected const TIMES = ['timestamp'];

    protected const RECORDS = ['data' => Data::class];
}
