<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Page;
use Blogsvc\Record;

/** A key with `keys:write` manages those that have no more than it has itself. */
final class Keys
{
    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * Make a key, whose text is shown this once.
     *
     * - `scopes`: One of all, posts:read, posts:write, posts:publish, analytics:read, platforms:read, platforms:write,
     *   webhooks:read, webhooks:write, media:write, keys:write.
     *
     * The key needs the scope `keys:write`.
     *
     * @param array{
     *     name: string,
     *     scopes: list<string>,
     *     expiresAt?: \DateTimeInterface|string|null,
     *     limits?: array{
     *         read?: int|null,
     *         write?: int|null,
     *         publish?: int|null,
     *     }|Record|null,
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
    public function create(array $fields, array $options = []): Record\NewKey
    {
        $call = Call::of('POST', '/keys')
            ->withJson($fields, objects: ['limits'])
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\NewKey::class, $call);
    }

    /**
     * List keys, newest first; those that have ended too.
     *
     * - `limit`: How many to a page.
     * - `cursor`: `nextCursor` of the page before.
     *
     * The key needs the scope `keys:write`.
     *
     * @param array{
     *     limit?: int,
     *     cursor?: string,
     * } $fields
     *
     * @return Page<Record\Key>
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function list(array $fields = []): Page
    {
        $call = Call::of('GET', '/keys')
            ->withQuery($fields);

        return $this->api->page(Record\Key::class, $call);
    }

    /**
     * Read what a key is called and may do.
     *
     * The key needs the scope `keys:write`.
     *
     * @param string $keyId The id of a key.
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\Key : Record\Key|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function get(string $keyId, array $options = []): ?Record\Key
    {
        $call = Call::of('GET', '/keys/{key_id}', $keyId)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\Key::class, $call);
    }

    /**
     * Change a key: the fields that are sent; the rest stays.
     *
     * - `scopes`: One of all, posts:read, posts:write, posts:publish, analytics:read, platforms:read, platforms:write,
     *   webhooks:read, webhooks:write, media:write, keys:write.
     *
     * The key needs the scope `keys:write`.
     *
     * @param string $keyId The id of a key.
     * @param array{
     *     name?: string,
     *     scopes?: list<string>,
     *     expiresAt?: \DateTimeInterface|string|null,
     *     limits?: array{
     *         read?: int|null,
     *         write?: int|null,
     *         publish?: int|null,
     *     }|Record|null,
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
    public function update(string $keyId, array $fields, array $options = []): Record\Key
    {
        $call = Call::of('PATCH', '/keys/{key_id}', $keyId)
            ->withJson($fields, objects: ['limits'])
            ->withOptions($options, 'ifMatch');

        return $this->api->one(Record\Key::class, $call);
    }

    /**
     * Revoke a key at once; it stays listed.
     *
     * The key needs the scope `keys:write`.
     *
     * @param string $keyId The id of a key.
     * @param array{
     *     ifMatch?: string,
     * } $options
     * - `ifMatch`: an ETag; where somebody else made a change since, nothing is done
     *
     * @throws Exception\NotFoundException
     * @throws Exception\PreconditionFailedException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function revoke(string $keyId, array $options = []): void
    {
        $call = Call::of('DELETE', '/keys/{key_id}', $keyId)
            ->withOptions($options, 'ifMatch');

        $this->api->none($call);
    }

    /**
     * Put a new key in the place of one, which goes on working for a while.
     *
     * The key needs the scope `keys:write`.
     *
     * @param string $keyId The id of a key.
     * @param array{
     *     overlapHours?: int,
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
    public function rotate(string $keyId, array $fields = [], array $options = []): Record\NewKey
    {
        $call = Call::of('POST', '/keys/{key_id}/rotate', $keyId)
            ->withJson($fields)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\NewKey::class, $call);
    }
}
