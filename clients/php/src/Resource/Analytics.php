<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Record;

/** How posts did, on our own blog and elsewhere. */
final class Analytics
{
    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * How posts did, here and elsewhere.
     *
     * A metric that a platform does not offer is null, never 0. Views of our own blog are counted without cookies.
     *
     * - `from`: A date or a time.
     * - `to`: A date, which is taken in, or a time, which is not.
     * - `interval`: Of the series.
     * - `timezone`: Whose days they are, such as `Europe/Berlin`.
     * - `platform`: These alone.
     * - `metric`: These alone.
     * - `groupBy`: This grouping alone, instead of all three.
     * - `postId`: These alone.
     *
     * The key needs the scope `analytics:read`.
     *
     * @param array{
     *     from?: string|\DateTimeInterface,
     *     to?: string|\DateTimeInterface,
     *     interval?: 'day'|'week'|'month',
     *     timezone?: string,
     *     platform?: list<string>,
     *     metric?: list<'views'|'visitors'|'likes'|'comments'|'shares'|'clicks'>,
     *     groupBy?: 'post'|'platform'|'day',
     *     postId?: list<string>,
     * } $fields
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function get(array $fields = []): Record\Analytics
    {
        $call = Call::of('GET', '/analytics')
            ->withQuery($fields);

        return $this->api->one(Record\Analytics::class, $call);
    }
}
