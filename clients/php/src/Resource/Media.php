<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Internal\Form;
use Blogsvc\Page;
use Blogsvc\Record;

/** Pictures that are uploaded once and shown by any number of posts. */
final class Media
{
    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * Upload a picture: JPEG, PNG, GIF, WebP or AVIF, up to 20 MiB and 50 megapixels.
     *
     * The key needs the scope `media:write`.
     *
     * @param string|resource $file The path of the file, or what to read it from. It is read whole.
     * @param array{
     *     alt?: string,
     * } $fields
     * @param array{
     *     idempotencyKey?: string,
     *     filename?: string,
     * } $options
     * - `idempotencyKey`: your name for this request: sent again under it within a day, it is done once
     * - `filename`: as the file is to be called; must be there for a resource
     *
     * @throws Exception\ConflictException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function upload(mixed $file, array $fields = [], array $options = []): Record\Media
    {
        $call = Call::of('POST', '/media')
            ->withForm(Form::of($file, $fields, $options['filename'] ?? null))
            ->withOptions($options, 'idempotencyKey', 'filename');

        return $this->api->one(Record\Media::class, $call);
    }

    /**
     * List the pictures, newest first.
     *
     * `q` looks in the file's name and in `alt`.
     *
     * - `limit`: How many to a page.
     * - `cursor`: `nextCursor` of the page before.
     * - `show`: All, those without a text for who cannot see them, or those that no post shows.
     * - `q`: Words, "quoted phrases", and -what is not wanted.
     *
     * The key needs the scope `posts:read`.
     *
     * @param array{
     *     limit?: int,
     *     cursor?: string,
     *     show?: 'all'|'undescribed'|'unused',
     *     q?: string,
     * } $fields
     *
     * @return Page<Record\Media>
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function list(array $fields = []): Page
    {
        $call = Call::of('GET', '/media')
            ->withQuery($fields);

        return $this->api->page(Record\Media::class, $call);
    }

    /**
     * Read what is known of a picture.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $mediaId The id of a media.
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\Media : Record\Media|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function get(string $mediaId, array $options = []): ?Record\Media
    {
        $call = Call::of('GET', '/media/{media_id}', $mediaId)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\Media::class, $call);
    }

    /**
     * Say what a picture shows, to those who cannot see it.
     *
     * The key needs the scope `media:write`.
     *
     * @param string $mediaId The id of a media.
     * @param array{
     *     alt?: string|null,
     * } $fields
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
    public function update(string $mediaId, array $fields, array $options = []): Record\Media
    {
        $call = Call::of('PATCH', '/media/{media_id}', $mediaId)
            ->withJson($fields)
            ->withOptions($options, 'ifMatch');

        return $this->api->one(Record\Media::class, $call);
    }

    /**
     * Delete a picture that no post shows, or with `force` any.
     *
     * - `force`: Even if a post shows it.
     *
     * The key needs the scope `media:write`.
     *
     * @param string $mediaId The id of a media.
     * @param array{
     *     force?: bool,
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
    public function delete(string $mediaId, array $fields = [], array $options = []): void
    {
        $call = Call::of('DELETE', '/media/{media_id}', $mediaId)
            ->withQuery($fields)
            ->withOptions($options, 'ifMatch');

        $this->api->none($call);
    }
}
