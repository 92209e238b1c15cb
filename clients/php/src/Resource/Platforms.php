<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Record;

/** What can be connected, and what is. Secrets go in, and never come out. */
final class Platforms
{
    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * What is connected, and what can be.
     *
     * `connected` are the names that a post's `platforms` may hold; `available` is what else can be connected.
     *
     * The key needs the scope `platforms:read`.
     *
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function list(): Record\Platforms
    {
        $call = Call::of('GET', '/platforms');

        return $this->api->one(Record\Platforms::class, $call);
    }

    /**
     * Connect an account, once its platform says whom it speaks for.
     *
     * The key needs the scope `platforms:write`.
     *
     * @param array{
     *     connector: string,
     *     name?: string|null,
     *     settings?: array<string, string|null>|Record,
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
    public function connect(array $fields, array $options = []): Record\Connected
    {
        $call = Call::of('POST', '/platforms')
            ->withJson($fields, objects: ['settings'])
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Connected::class, $call);
    }

    /**
     * Read a connection and its health.
     *
     * The key needs the scope `platforms:read`.
     *
     * @param string $platform Its name, as in `GET` of the list.
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\Connection : Record\Connection|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function get(string $platform, array $options = []): ?Record\Connection
    {
        $call = Call::of('GET', '/platforms/{platform}', $platform)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\Connection::class, $call);
    }

    /**
     * Give a connection another name or other settings, once its platform accepts them.
     *
     * The key needs the scope `platforms:write`.
     *
     * @param string $platform Its name, as in `GET` of the list.
     * @param array{
     *     name?: string,
     *     settings?: array<string, string|null>|Record,
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
    public function update(string $platform, array $fields, array $options = []): Record\Connected
    {
        $call = Call::of('PATCH', '/platforms/{platform}', $platform)
            ->withJson($fields, objects: ['settings'])
            ->withOptions($options, 'ifMatch');

        return $this->api->one(Record\Connected::class, $call);
    }

    /**
     * Forget an account and its secrets; copies stay there, and what was not sent yet fails.
     *
     * The key needs the scope `platforms:write`.
     *
     * @param string $platform Its name, as in `GET` of the list.
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
    public function disconnect(string $platform, array $options = []): void
    {
        $call = Call::of('DELETE', '/platforms/{platform}', $platform)
            ->withOptions($options, 'ifMatch');

        $this->api->none($call);
    }

    /**
     * Ask the platform again; what waited for the account goes on.
     *
     * The key needs the scope `platforms:write`.
     *
     * @param string $platform Its name, as in `GET` of the list.
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
    public function verify(string $platform, array $options = []): Record\Connection
    {
        $call = Call::of('POST', '/platforms/{platform}/verify', $platform)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\Connection::class, $call);
    }
}
