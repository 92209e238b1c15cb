<?php

declare(strict_types=1);

namespace Blogsvc\Webhook;

use Blogsvc\Record;
use Blogsvc\Record\Event;

/**
 * What a message is about.
 *
 * @property-read Event $event
 * @property-read PostInBrief|null $post null where the event is about none
 */
final class Data extends Record
{
    protected const RECORDS = ['event' => Event::class, 'post' => PostInBrief::class];
}
