<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Page;
use Blogsvc\Record;

/** What happened, as a list and as a stream. */
final class Events
{
    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * What happened in the last 30 days, oldest first.
     *
     * - `limit`: How many to a page.
     * - `cursor`: `nextCursor` of the page before.
     * - `after`: The id of the last event that is known already.
     * - `type`: Events of these types alone. One of post.created, post.imported, post.updated, post.scheduled,
     *   post.unscheduled, post.publishing, post.published, post.partial, post.failed, post.missed, post.unpublished,
     *   post.deleted, post.erased, post.restored, delivery.claimed, delivery.succeeded, delivery.retrying,
     *   delivery.failed, delivery.uncertain, delivery.withdrawn, delivery.drifted, connection.disconnected,
     *   connection.connected, webhook.disabled, clock.stalled.
     * - `postId`: Events of this post alone.
     * - `sort`: `-` is the newest first.
     *
     * The key needs the scope `posts:read`.
     *
     * @param array{
     *     limit?: int,
     *     cursor?: string,
     *     after?: string,
     *     type?: list<string>,
     *     postId?: string,
     *     sort?: 'createdAt'|'-createdAt',
     * } $fields
     *
     * @return Page<Record\Event>
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function list(array $fields = []): Page
    {
        $call = Call::of('GET', '/events')
            ->withQuery($fields);

        return $this->api->page(Record\Event::class, $call);
    }

    /**
     * The same as server-sent events, from now on or after a known one.
     *
     * One `event:` of the event's type, with its id and its document as `data:`, as soon as it happened.
     *
     * It goes on until the key is revoked or the server stops; `EventSource` and its like come back by themselves and
     * miss nothing that is kept. A line that begins with a colon says that the stream is alive.
     *
     * - `after`: The id of the last event that is known already.
     * - `type`: Events of these types alone. One of post.created, post.imported, post.updated, post.scheduled,
     *   post.unscheduled, post.publishing, post.published, post.partial, post.failed, post.missed, post.unpublished,
     *   post.deleted, post.erased, post.restored, delivery.claimed, delivery.succeeded, delivery.retrying,
     *   delivery.failed, delivery.uncertain, delivery.withdrawn, delivery.drifted, connection.disconnected,
     *   connection.connected, webhook.disabled, clock.stalled.
     * - `postId`: Events of this post alone.
     *
     * The key needs the scope `posts:read`.
     *
     * @param array{
     *     after?: string,
     *     type?: list<string>,
     *     postId?: string,
     * } $fields
     *
     * @return \Generator<int, Record\Event>
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function stream(array $fields = []): \Generator
    {
        $call = Call::of('GET', '/events/stream')
            ->withQuery($fields);

        return $this->api->events($call);
    }
}
