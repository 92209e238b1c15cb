<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Record;

/** How one post fares at one destination, and what a person may do about it. */
final class Deliveries
{
    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * Read a delivery, with every attempt.
     *
     * `uncertain` means that it was sent and no answer came; look there, then resolve it.
     *
     * The key needs the scope `posts:read`.
     *
     * @param string $deliveryId The id of a delivery.
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\DeliveryDetail : Record\DeliveryDetail|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function get(string $deliveryId, array $options = []): ?Record\DeliveryDetail
    {
        $call = Call::of('GET', '/deliveries/{delivery_id}', $deliveryId)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\DeliveryDetail::class, $call);
    }

    /**
     * Try a delivery now that failed, waits, or whose copy was changed there.
     *
     * Whatever its back-off says. Where the copy was changed or removed there (`drift`, or the error `conflict`), this
     * is its author's word to write over it, or to make it anew. One that is uncertain is resolved instead.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $deliveryId The id of a delivery.
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
    public function retry(string $deliveryId, array $options = []): Record\DeliveryDetail
    {
        $call = Call::of('POST', '/deliveries/{delivery_id}/retry', $deliveryId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\DeliveryDetail::class, $call);
    }

    /**
     * Say of an uncertain delivery whether the copy is there.
     *
     * `delivered` where the copy is there, with its address if you like; `retry` where it is not: it is sent again.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $deliveryId The id of a delivery.
     * @param array{
     *     outcome: 'delivered'|'retry',
     *     url?: string|null,
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
    public function resolve(string $deliveryId, array $fields, array $options = []): Record\DeliveryDetail
    {
        $call = Call::of('POST', '/deliveries/{delivery_id}/resolve', $deliveryId)
            ->withJson($fields)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\DeliveryDetail::class, $call);
    }

    /**
     * Leave a copy as it is: it failed, or was changed or removed there, and that shall be so.
     *
     * It is asked about no more. The next change of the post goes there all the same.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $deliveryId The id of a delivery.
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
    public function leave(string $deliveryId, array $options = []): Record\DeliveryDetail
    {
        $call = Call::of('POST', '/deliveries/{delivery_id}/leave', $deliveryId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\DeliveryDetail::class, $call);
    }

    /**
     * Take the copy down there; the post and its other copies stay.
     *
     * The key needs the scope `posts:publish`.
     *
     * @param string $deliveryId The id of a delivery.
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
    public function withdraw(string $deliveryId, array $options = []): Record\DeliveryDetail
    {
        $call = Call::of('POST', '/deliveries/{delivery_id}/withdraw', $deliveryId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\DeliveryDetail::class, $call);
    }
}
