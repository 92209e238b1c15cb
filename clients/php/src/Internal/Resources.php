<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception;
use Blogsvc\Record;
use Blogsvc\Resource;

/**
 * All that a client reaches.
 *
 * @internal
 */
trait Resources
{
    /** How posts did, on our own blog and elsewhere. */
    public readonly Resource\Analytics $analytics;

    /** How one post fares at one destination, and what a person may do about it. */
    public readonly Resource\Deliveries $deliveries;

    /** What happened, as a list and as a stream. */
    public readonly Resource\Events $events;

    /** A key with `keys:write` manages those that have no more than it has itself. */
    public readonly Resource\Keys $keys;

    /** Pictures that are uploaded once and shown by any number of posts. */
    public readonly Resource\Media $media;

    /** What can be connected, and what is. Secrets go in, and never come out. */
    public readonly Resource\Platforms $platforms;

    /** What is written here, and goes out here and elsewhere when its time has come. */
    public readonly Resource\Posts $posts;

    /** Subscribers to events. */
    public readonly Resource\Webhooks $webhooks;

    /**
     * The key that is asking.
     *
     * Its scopes and its limits, in calls a minute. A simple way to see whether a key is valid.
     *
     * @throws Exception\BlogsvcException
     */
    public function me(): Record\Me
    {
        return $this->api->one(Record\Me::class, Call::of('GET', '/me'));
    }

    private function open(Api $api): void
    {
        $this->analytics = new Resource\Analytics($api);
        $this->deliveries = new Resource\Deliveries($api);
        $this->events = new Resource\Events($api);
        $this->keys = new Resource\Keys($api);
        $this->media = new Resource\Media($api);
        $this->platforms = new Resource\Platforms($api);
        $this->posts = new Resource\Posts($api);
        $this->webhooks = new Resource\Webhooks($api);
    }
}
