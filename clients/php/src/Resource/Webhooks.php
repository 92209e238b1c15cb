<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Resource;

use Blogsvc\Exception;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Call;
use Blogsvc\Page;
use Blogsvc\Record;

/** Subscribers to events. */
final class Webhooks
{
    /** @internal */
    public function __construct(private readonly Api $api)
    {
    }

    /**
     * Have a `webhook.test` sent, once; its delivery tells how that went.
     *
     * The key needs the scope `webhooks:write`.
     *
     * @param string $webhookId The id of a webhook.
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
    public function test(string $webhookId, array $options = []): Record\WebhookDelivery
    {
        $call = Call::of('POST', '/webhooks/{webhook_id}/test', $webhookId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\WebhookDelivery::class, $call);
    }

    /**
     * What was sent to a webhook in the last 30 days, newest first.
     *
     * - `limit`: How many to a page.
     * - `cursor`: `nextCursor` of the page before.
     * - `state`: In any of these states.
     *
     * The key needs the scope `webhooks:read`.
     *
     * @param string $webhookId The id of a webhook.
     * @param array{
     *     limit?: int,
     *     cursor?: string,
     *     state?: list<'queued'|'sending'|'retrying'|'delivered'|'failed'>,
     * } $fields
     *
     * @return Page<Record\WebhookDelivery>
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function deliveries(string $webhookId, array $fields = []): Page
    {
        $call = Call::of('GET', '/webhooks/{webhook_id}/deliveries', $webhookId)
            ->withQuery($fields);

        return $this->api->page(Record\WebhookDelivery::class, $call);
    }

    /**
     * Read one of them, with what was sent and every attempt.
     *
     * The key needs the scope `webhooks:read`.
     *
     * @param string $webhookId The id of a webhook.
     * @param string $deliveryId The id of a delivery.
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\WebhookDeliveryDetail : Record\WebhookDeliveryDetail|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function delivery(string $webhookId, string $deliveryId, array $options = []): ?Record\WebhookDeliveryDetail
    {
        $call = Call::of('GET', '/webhooks/{webhook_id}/deliveries/{delivery_id}', $webhookId, $deliveryId)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\WebhookDeliveryDetail::class, $call);
    }

    /**
     * Send it again, now: the same bytes under the same id.
     *
     * The key needs the scope `webhooks:write`.
     *
     * @param string $webhookId The id of a webhook.
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
    public function redeliver(string $webhookId, string $deliveryId, array $options = []): Record\WebhookDelivery
    {
        $call = Call::of('POST', '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', $webhookId, $deliveryId)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\WebhookDelivery::class, $call);
    }

    /**
     * List webhooks, newest first.
     *
     * - `limit`: How many to a page.
     * - `cursor`: `nextCursor` of the page before.
     *
     * The key needs the scope `webhooks:read`.
     *
     * @param array{
     *     limit?: int,
     *     cursor?: string,
     * } $fields
     *
     * @return Page<Record\Webhook>
     *
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function list(array $fields = []): Page
    {
        $call = Call::of('GET', '/webhooks')
            ->withQuery($fields);

        return $this->api->page(Record\Webhook::class, $call);
    }

    /**
     * Have events sent to an address; the secret that signs them is answered this once.
     *
     * - `events`: One of *, post.*, delivery.*, connection.*, webhook.*, clock.*, post.created, post.imported,
     *   post.updated, post.scheduled, post.unscheduled, post.publishing, post.published, post.partial, post.failed,
     *   post.missed, post.unpublished, post.deleted, post.erased, post.restored, delivery.claimed, delivery.succeeded,
     *   delivery.retrying, delivery.failed, delivery.uncertain, delivery.withdrawn, delivery.drifted,
     *   connection.disconnected, connection.connected, webhook.disabled, clock.stalled.
     *
     * The key needs the scope `webhooks:write`.
     *
     * @param array{
     *     url: string,
     *     events?: list<string>,
     *     description?: string,
     *     secret?: string|null,
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
    public function create(array $fields, array $options = []): Record\WebhookWithSecret
    {
        $call = Call::of('POST', '/webhooks')
            ->withJson($fields)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\WebhookWithSecret::class, $call);
    }

    /**
     * Read a webhook.
     *
     * The key needs the scope `webhooks:read`.
     *
     * @param string $webhookId The id of a webhook.
     * @param array{
     *     ifNoneMatch?: string,
     * } $options
     * - `ifNoneMatch`: an ETag; null is answered where nothing has changed since
     *
     * @return ($options is array{} ? Record\Webhook : Record\Webhook|null)
     *
     * @throws Exception\NotFoundException
     * @throws Exception\InvalidException
     * @throws Exception\BlogsvcException
     */
    public function get(string $webhookId, array $options = []): ?Record\Webhook
    {
        $call = Call::of('GET', '/webhooks/{webhook_id}', $webhookId)
            ->withOptions($options, 'ifNoneMatch');

        return $this->api->maybe(Record\Webhook::class, $call);
    }

    /**
     * Change a webhook, or switch it on or off.
     *
     * - `events`: One of *, post.*, delivery.*, connection.*, webhook.*, clock.*, post.created, post.imported,
     *   post.updated, post.scheduled, post.unscheduled, post.publishing, post.published, post.partial, post.failed,
     *   post.missed, post.unpublished, post.deleted, post.erased, post.restored, delivery.claimed, delivery.succeeded,
     *   delivery.retrying, delivery.failed, delivery.uncertain, delivery.withdrawn, delivery.drifted,
     *   connection.disconnected, connection.connected, webhook.disabled, clock.stalled.
     *
     * The key needs the scope `webhooks:write`.
     *
     * @param string $webhookId The id of a webhook.
     * @param array{
     *     url?: string,
     *     events?: list<string>,
     *     description?: string,
     *     enabled?: bool,
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
    public function update(string $webhookId, array $fields, array $options = []): Record\Webhook
    {
        $call = Call::of('PATCH', '/webhooks/{webhook_id}', $webhookId)
            ->withJson($fields)
            ->withOptions($options, 'ifMatch');

        return $this->api->one(Record\Webhook::class, $call);
    }

    /**
     * Forget a webhook, its secret and its log.
     *
     * The key needs the scope `webhooks:write`.
     *
     * @param string $webhookId The id of a webhook.
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
    public function delete(string $webhookId, array $options = []): void
    {
        $call = Call::of('DELETE', '/webhooks/{webhook_id}', $webhookId)
            ->withOptions($options, 'ifMatch');

        $this->api->none($call);
    }

    /**
     * Replace the secret; the new one is answered this once, and the present one signs beside it for a while.
     *
     * The key needs the scope `webhooks:write`.
     *
     * @param string $webhookId The id of a webhook.
     * @param array{
     *     secret?: string|null,
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
    public function rotateSecret(string $webhookId, array $fields = [], array $options = []): Record\WebhookWithSecret
    {
        $call = Call::of('POST', '/webhooks/{webhook_id}/rotate-secret', $webhookId)
            ->withJson($fields)
            ->withOptions($options, 'idempotencyKey');

        return $this->api->one(Record\WebhookWithSecret::class, $call);
    }
}
