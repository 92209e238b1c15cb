<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Internal\WaitsForPosts;
use Blogsvc\Page;
use Blogsvc\Record;

/** What is written here, and goes out here and elsewhere when its time has come. */
final class Posts
{
    use WaitsForPosts;

    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * How one post did.
     *
     * - `from`: A date or a time.
     * - `to`: A date, which is taken in, or a time, which is not.
     * - `interval`: Of the series.
     * - `timezone`: Whose days they are, such as `Europe/Berlin`.
     * - `platform`: These alone.
     * - `metric`: These alone.
     * - `groupBy`: This grouping alone, instead of all three.
     *
     * The key needs the scope `analytics:read`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     from?: string|\DateTimeInterface,
     *     to?: string|\DateTimeInterface,
     *     interval?: 'day'|'week'|'month',
     *     timezone?: string,
     *     platform?: list<string>,
     *     metric?: list<'views'|'visitors'|'likes'|'comments'|'shares'|'clicks'>,
     *     groupBy?: 'post'|'platform'|'day',
     * } $fields
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function analytics(string $postId, array $fields = []): Record\Analytics
    {
        $call = Call::of('GET', '/posts/{post_id}/analytics', $postId)
            ->withQuery($fields);

        return $this->api->one(Record\Analytics::class, $call);
    }

    /**
     * Write a post, to be published later, at a time, or not yet.
     *
     * `scheduledAt` names an instant, `schedule` a wall time in a zone; without either it is a draft.
     *
     * A post that has a time needs content and the scope `posts:publish` too. A wall time stays what it is should the
     * rules of its zone change. One that a change of the clocks skips or repeats is refused unless `fold` says which.
     *
     * The key needs the scope `posts:write`.
     *
     * @param array{
     *     title: string,
     *     content?: string|null,
     *     platforms?: list<string>|null,
     *     scheduledAt?: \DateTimeInterface|string|null,
     *     schedule?: array{
     *         localTime: string,
     *         timeZone: string,
     *         fold?: int|null,
     *     }|Record|null,
     *     summary?: string|null,
     *     slug?: string|null,
     *     tags?: list<string>|null,
     *     canonicalUrl?: string|null,
     *     coverImage?: string|null,
     *     language?: string|null,
     *     overrides?: array<string, array{
     *         title?: string|null,
     *         content?: string|null,
     *         summary?: string|null,
     *         tags?: list<string>|null,
     *         options?: array<string, string>|Record|null,
     *     }|Record>|Record|null,
     * } $fields
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function create(array $fields, array $options = []): Record\Post
    {
        $call = Call::of('POST', '/posts')
            ->withJson($fields, objects: ['schedule', 'overrides'])
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Post::class, $call);
    }

    /**
     * List posts.
     *
     * Filters narrow together. `fields` leaves of each post what it names: without `content` a list is short.
     *
     * - `status`: Posts in any of these states. One of draft, scheduled, publishing, published, partial, failed,
     *   missed, unpublished.
     * - `platform`: Posts that are meant for this platform.
     * - `tag`: Posts with this tag, as it is written there.
     * - `q`: Words, "quoted phrases", and -what is not wanted.
     * - `createdAfter`: Later than this.
     * - `createdBefore`: Earlier than this.
     * - `updatedAfter`: Later than this.
     * - `updatedBefore`: Earlier than this.
     * - `scheduledAfter`: Later than this.
     * - `scheduledBefore`: Earlier than this.
     * - `publishedAfter`: Later than this.
     * - `publishedBefore`: Earlier than this.
     * - `trashed`: The posts in the trash, and no others.
     * - `sort`: By what; `-` is descending. Posts without that time come last. One of createdAt, -createdAt, updatedAt,
     *   -updatedAt, scheduledAt, -scheduledAt, publishedAt, -publishedAt, title, -title.
     * - `limit`: How many to a page.
     * - `cursor`: `nextCursor` of the page before, with the same `sort`.
     * - `fields`: These fields alone; by default all. One of id, title, content, summary, slug, tags, platforms,
     *   scheduledAt, status, canonicalUrl, coverImage, language, overrides, url, hasUnpublishedChanges, wordCount,
     *   createdAt, updatedAt, publishedAt, deletedAt, deliveries.
     *
     * The key needs the scope `posts:read`.
     *
     * @param array{
     *     status?: list<string>,
     *     platform?: string,
     *     tag?: string,
     *     q?: string,
     *     createdAfter?: \DateTimeInterface|string,
     *     createdBefore?: \DateTimeInterface|string,
     *     updatedAfter?: \DateTimeInterface|string,
     *     updatedBefore?: \DateTimeInterface|string,
     *     scheduledAfter?: \DateTimeInterface|string,
     *     scheduledBefore?: \DateTimeInterface|string,
     *     publishedAfter?: \DateTimeInterface|string,
     *     publishedBefore?: \DateTimeInterface|string,
     *     trashed?: bool,
     *     sort?: string,
     *     limit?: int,
     *     cursor?: string,
     *     fields?: list<string>,
     * } $fields
     *
     * @return Page<Record\Post>
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function list(array $fields = []): Page
    {
        $call = Call::of('GET', '/posts')
            ->withQuery($fields);

        return $this->api->page(Record\Post::class, $call);
    }

    /**
     * Read a post.
     *
     * With its deliveries. `content` is what is written here by now; readers see what was published last.
     *
     * - `fields`: These fields alone; by default all. One of id, title, content, summary, slug, tags, platforms,
     *   scheduledAt, status, canonicalUrl, coverImage, language, overrides, url, hasUnpublishedChanges, wordCount,
     *   createdAt, updatedAt, publishedAt, deletedAt, deliveries.
     * - `trashed`: Look in the trash too.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     fields?: list<string>,
     *     trashed?: bool,
     * } $fields
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\Post : Record\Post|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function get(string $postId, array $fields = [], array $options = []): ?Record\Post
    {
        $call = Call::of('GET', '/posts/{post_id}', $postId)
            ->withQuery($fields)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\Post::class, $call);
    }

    /**
     * Change a post: the fields that are sent; the rest stays.
     *
     * A new time reschedules, `scheduledAt: null` takes a scheduled post back to a draft.
     *
     * A change of what is published stays here (`hasUnpublishedChanges`) until it is published again, or at once with
     * `publish: true`. `If-Match` with the post's `ETag` guards against changing what somebody else has changed since.
     *
     * The key needs the scope `posts:write`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     content?: string|null,
     *     platforms?: list<string>|null,
     *     scheduledAt?: \DateTimeInterface|string|null,
     *     schedule?: array{
     *         localTime: string,
     *         timeZone: string,
     *         fold?: int|null,
     *     }|Record|null,
     *     summary?: string|null,
     *     slug?: string|null,
     *     tags?: list<string>|null,
     *     canonicalUrl?: string|null,
     *     coverImage?: string|null,
     *     language?: string|null,
     *     overrides?: array<string, array{
     *         title?: string|null,
     *         content?: string|null,
     *         summary?: string|null,
     *         tags?: list<string>|null,
     *         options?: array<string, string>|Record|null,
     *     }|Record>|Record|null,
     *     title?: string,
     *     publish?: bool,
     * } $fields
     * @param array{
     *     ifMatch?: string,
     * } $options
     * - `ifMatch`: an ETag; where somebody else made a change since, nothing is done
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\PreconditionFailedException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function update(string $postId, array $fields, array $options = []): Record\Post
    {
        $call = Call::of('PATCH', '/posts/{post_id}', $postId)
            ->withJson($fields, objects: ['schedule', 'overrides'])
            ->withOptions($options, 'ifMatch');

        return $this->api->one(Record\Post::class, $call);
    }

    /**
     * Put a post in the trash, take its copies down too, or erase it for good.
     *
     * It stays in the trash for 30 days, and can be restored. Deliveries that were still to be sent are cancelled.
     *
     * - `withdraw`: Take its copies down too.
     * - `permanent`: Erase it for good, from the trash too.
     *
     * The key needs the scope `posts:write`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     withdraw?: bool,
     *     permanent?: bool,
     * } $fields
     * @param array{
     *     ifMatch?: string,
     * } $options
     * - `ifMatch`: an ETag; where somebody else made a change since, nothing is done
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\PreconditionFailedException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function delete(string $postId, array $fields = [], array $options = []): ?Record\Post
    {
        $call = Call::of('DELETE', '/posts/{post_id}', $postId)
            ->withQuery($fields)
            ->withOptions($options, 'ifMatch');

        return $this->api->maybe(Record\Post::class, $call);
    }

    /**
     * Take a post out of the trash.
     *
     * It comes back as a draft, or as unpublished where it had been live.
     *
     * The key needs the scope `posts:write`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function restore(string $postId, array $options = []): Record\Post
    {
        $call = Call::of('POST', '/posts/{post_id}/restore', $postId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Post::class, $call);
    }

    /**
     * Write a draft with the words of another post.
     *
     * The key needs the scope `posts:write`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function duplicate(string $postId, array $options = []): Record\Post
    {
        $call = Call::of('POST', '/posts/{post_id}/duplicate', $postId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Post::class, $call);
    }

    /**
     * Publish a post, or bring its copies in step.
     *
     * To all of its platforms, or to those that are named; with `at`, not before then.
     *
     * The answer comes before the copies are there: follow `deliveries`, or wait for up to 30 s with `Prefer: wait=N`
     * and be answered 200 once they have come to rest. Asking again never makes a second copy: one that is in step is
     * left alone, a changed one is updated, a failed one is tried again. `dryRun` answers what each platform would be
     * sent, with warnings, and sends nothing.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     platforms?: list<string>|null,
     *     at?: \DateTimeInterface|string|null,
     * } $fields
     * @param array{
     *     idempotencyKey?: string,
     *     wait?: int,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     * - `wait`: for how many seconds the server waits until the copies are there, 1 to 30
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function publish(string $postId, array $fields = [], array $options = []): Record\Post
    {
        $call = Call::of('POST', '/posts/{post_id}/publish', $postId)
            ->withJson($fields)
            ->withOptions($options, 'idempotencyKey', 'wait');

        return $this->api->one(Record\Post::class, $call);
    }

    /**
     * What publishing would send to each platform; it sends nothing.
     *
     * To all of its platforms, or to those that are named; with `at`, not before then.
     *
     * The answer comes before the copies are there: follow `deliveries`, or wait for up to 30 s with `Prefer: wait=N`
     * and be answered 200 once they have come to rest. Asking again never makes a second copy: one that is in step is
     * left alone, a changed one is updated, a failed one is tried again. `dryRun` answers what each platform would be
     * sent, with warnings, and sends nothing.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     platforms?: list<string>|null,
     *     at?: \DateTimeInterface|string|null,
     * } $fields
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function dryRun(string $postId, array $fields = [], array $options = []): Record\DryRun
    {
        $call = Call::of('POST', '/posts/{post_id}/publish', $postId)
            ->withQuery(['dryRun' => 'true'])
            ->withJson($fields)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\DryRun::class, $call);
    }

    /**
     * Take a post down here, and its copies wherever that can be done.
     *
     * It is off the blog at once, and elsewhere as soon as the platforms have answered; the text stays here.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function unpublish(string $postId, array $options = []): Record\Post
    {
        $call = Call::of('POST', '/posts/{post_id}/unpublish', $postId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Post::class, $call);
    }

    /**
     * What each destination would be sent, with what it allows; nothing is sent.
     *
     * The words as they stand, composed by the same code that publishes them.
     *
     * - `platform`: These alone; by default all of the post's own.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     platform?: list<string>,
     * } $fields
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function preview(string $postId, array $fields = []): Record\Preview
    {
        $call = Call::of('GET', '/posts/{post_id}/preview', $postId)
            ->withQuery($fields);

        return $this->api->one(Record\Preview::class, $call);
    }

    /**
     * Up to 100 changes, each done or refused for itself.
     *
     * The key needs the scope `posts:write`.
     *
     * @param array{
     *     operations: list<array{
     *         operation: 'create',
     *         post: array{
     *             title: string,
     *             content?: string|null,
     *             platforms?: list<string>|null,
     *             scheduledAt?: \DateTimeInterface|string|null,
     *             schedule?: array{
     *                 localTime: string,
     *                 timeZone: string,
     *                 fold?: int|null,
     *             }|Record|null,
     *             summary?: string|null,
     *             slug?: string|null,
     *             tags?: list<string>|null,
     *             canonicalUrl?: string|null,
     *             coverImage?: string|null,
     *             language?: string|null,
     *             overrides?: array<string, array{
     *                 title?: string|null,
     *                 content?: string|null,
     *                 summary?: string|null,
     *                 tags?: list<string>|null,
     *                 options?: array<string, string>|Record|null,
     *             }|Record>|Record|null,
     *         }|Record,
     *     }|Record|array{
     *         id: string,
     *         operation: 'update',
     *         post: array{
     *             content?: string|null,
     *             platforms?: list<string>|null,
     *             scheduledAt?: \DateTimeInterface|string|null,
     *             schedule?: array{
     *                 localTime: string,
     *                 timeZone: string,
     *                 fold?: int|null,
     *             }|Record|null,
     *             summary?: string|null,
     *             slug?: string|null,
     *             tags?: list<string>|null,
     *             canonicalUrl?: string|null,
     *             coverImage?: string|null,
     *             language?: string|null,
     *             overrides?: array<string, array{
     *                 title?: string|null,
     *                 content?: string|null,
     *                 summary?: string|null,
     *                 tags?: list<string>|null,
     *                 options?: array<string, string>|Record|null,
     *             }|Record>|Record|null,
     *             title?: string,
     *             publish?: bool,
     *         }|Record,
     *     }|array{
     *         id: string,
     *         operation: 'publish',
     *         platforms?: list<string>|null,
     *         at?: \DateTimeInterface|string|null,
     *     }|array{
     *         id: string,
     *         operation: 'unpublish',
     *     }|array{
     *         id: string,
     *         operation: 'delete',
     *         withdraw?: bool,
     *     }|array{
     *         id: string,
     *         operation: 'restore',
     *     }|array{
     *         id: string,
     *         operation: 'duplicate',
     *     }>,
     * } $fields
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function bulk(array $fields, array $options = []): Record\Bulk
    {
        $call = Call::of('POST', '/posts/bulk')
            ->withJson($fields)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Bulk::class, $call);
    }

    /**
     * Where a post went, and how that stands.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $postId The id of a post.
     *
     * @return Page<Record\Delivery>
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function deliveries(string $postId): Page
    {
        $call = Call::of('GET', '/posts/{post_id}/deliveries', $postId);

        return $this->api->page(Record\Delivery::class, $call);
    }

    /**
     * Ask the platforms whether the copies are there, and as we sent them.
     *
     * `edited` and `gone` are remembered as `drift` of the delivery. Nothing is written over: retry a delivery to have
     * its copy as it was sent, or leave it. Each copy is also looked at once a day.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @return Page<Record\Copy>
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function verify(string $postId, array $options = []): Page
    {
        $call = Call::of('POST', '/posts/{post_id}/verify', $postId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->page(Record\Copy::class, $call);
    }

    /**
     * The timeline of a post, oldest first.
     *
     * Everything that happened to it, each attempt to send it included.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $postId The id of a post.
     *
     * @return Page<Record\Event>
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function events(string $postId): Page
    {
        $call = Call::of('GET', '/posts/{post_id}/events', $postId);

        return $this->api->page(Record\Event::class, $call);
    }

    /**
     * The revisions of a post, newest first.
     *
     * - `limit`: How many to a page.
     * - `cursor`: `nextCursor` of the page before.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $postId The id of a post.
     * @param array{
     *     limit?: int,
     *     cursor?: string,
     * } $fields
     *
     * @return Page<Record\Revision>
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function revisions(string $postId, array $fields = []): Page
    {
        $call = Call::of('GET', '/posts/{post_id}/revisions', $postId)
            ->withQuery($fields);

        return $this->api->page(Record\Revision::class, $call);
    }

    /**
     * Read a revision, with its words.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $postId The id of a post.
     * @param int $number Its number: 1 is the oldest.
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\RevisionInFull : Record\RevisionInFull|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function revision(string $postId, int $number, array $options = []): ?Record\RevisionInFull
    {
        $call = Call::of('GET', '/posts/{post_id}/revisions/{number}', $postId, $number)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\RevisionInFull::class, $call);
    }

    /**
     * Take the words of a revision for the working copy; what is live stays until it is published again.
     *
     * The key needs the scope `posts:write`.
     *
     * @param string $postId The id of a post.
     * @param int $number Its number: 1 is the oldest.
     * @param array{
     *     idempotencyKey?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     *
     * @throws Exception\NotFoundException
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function restoreRevision(string $postId, int $number, array $options = []): Record\Post
    {
        $call = Call::of('POST', '/posts/{post_id}/revisions/{number}/restore', $postId, $number)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Post::class, $call);
    }
}
