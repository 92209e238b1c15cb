<?php

declare(strict_types=1);

namespace Blogsvc\Webhook;

use Blogsvc\Record;
use Blogsvc\Record\Event;

/**
 * The data of a webhook message.
 *
 * @property-read Event $event
 * @property-read Post|null $post null if the event has no post
 */
final class Data extends Record
{
    protected const RECORDS = ['event' => Event::class, 'post' => Post::class];
}
