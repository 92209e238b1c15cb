# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # Subscribers to events.
    #
    # The fields of its answers:
    #
    # - WebhookDelivery: `id`, `type`, `event_id`, `state`, `attempts`, `last_error`, `next_attempt_at`, `delivered_at`,
    #   `created_at`
    # - DeliveryError: `code`, `detail`
    # - WebhookDeliveryDetail: `id`, `type`, `event_id`, `state`, `attempts`, `last_error`, `next_attempt_at`,
    #   `delivered_at`, `created_at`, `payload`, `attempt_log`
    # - WebhookAttempt: `number`, `started_at`, `milliseconds`, `status_code`, `error`, `answer`
    # - Webhook: `id`, `url`, `events`, `description`, `enabled`, `disabled_at`, `disabled_reason`, `failing_since`,
    #   `former_secret_until`, `created_at`, `updated_at`
    # - WebhookWithSecret: `id`, `url`, `events`, `description`, `enabled`, `disabled_at`, `disabled_reason`,
    #   `failing_since`, `former_secret_until`, `created_at`, `updated_at`, `secret`
    class Webhooks < Resource
      # Have a `webhook.test` sent, once; its delivery tells how that went.
      #
      # It needs the scope `webhooks:write`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a WebhookDelivery
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def test(webhook_id, idempotency_key: nil)
        call("POST", "/webhooks/#{segment(webhook_id)}/test", idempotency_key:)
      end

      # What was sent to a webhook in the last 30 days, newest first.
      #
      # It needs the scope `webhooks:read`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param limit [Integer] how many to a page
      # @param cursor [String] `next_cursor` of the page before
      # @param state [Array<String>, String] in any of these states; any of `queued`, `sending`, `retrying`,
      #   `delivered`, `failed`
      # @return [Page] its rows: WebhookDelivery
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def deliveries(webhook_id, limit: NOT_GIVEN, cursor: NOT_GIVEN, state: NOT_GIVEN)
        page("GET", "/webhooks/#{segment(webhook_id)}/deliveries", query: { limit:, cursor:, state: })
      end

      # Read one of them, with what was sent and every attempt.
      #
      # It needs the scope `webhooks:read`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param delivery_id [String] the id of a delivery
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a WebhookDeliveryDetail
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def delivery(webhook_id, delivery_id, if_none_match: nil)
        call("GET", "/webhooks/#{segment(webhook_id)}/deliveries/#{segment(delivery_id)}", if_none_match:)
      end

      # Send it again, now: the same bytes under the same id.
      #
      # It needs the scope `webhooks:write`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param delivery_id [String] the id of a delivery
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a WebhookDelivery
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def redeliver(webhook_id, delivery_id, idempotency_key: nil)
        call("POST", "/webhooks/#{segment(webhook_id)}/deliveries/#{segment(delivery_id)}/redeliver", idempotency_key:)
      end

      # List webhooks, newest first.
      #
      # It needs the scope `webhooks:read`.
      #
      # @param limit [Integer] how many to a page
      # @param cursor [String] `next_cursor` of the page before
      # @return [Page] its rows: Webhook
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def list(limit: NOT_GIVEN, cursor: NOT_GIVEN)
        page("GET", "/webhooks", query: { limit:, cursor: })
      end

      # Have events sent to an address; the secret that signs them is answered this once.
      #
      # It needs the scope `webhooks:write`.
      #
      # @param url [String]
      # @param events [Array<String>]
      # @param description [String]
      # @param secret [String, nil]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a WebhookWithSecret
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def create(url:, events: NOT_GIVEN, description: NOT_GIVEN, secret: NOT_GIVEN, idempotency_key: nil)
        call("POST", "/webhooks", body: { url:, events:, description:, secret: }, idempotency_key:)
      end

      # Read a webhook.
      #
      # It needs the scope `webhooks:read`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a Webhook
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def get(webhook_id, if_none_match: nil)
        call("GET", "/webhooks/#{segment(webhook_id)}", if_none_match:)
      end

      # Change a webhook, or switch it on or off.
      #
      # It needs the scope `webhooks:write`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param url [String]
      # @param events [Array<String>]
      # @param description [String]
      # @param enabled [Boolean]
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [Record] a Webhook
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PreconditionFailedError},
      #   {PermissionDeniedError}, {RateLimitError}
      def update(webhook_id, url: NOT_GIVEN, events: NOT_GIVEN, description: NOT_GIVEN, enabled: NOT_GIVEN,
                 if_match: nil)
        call("PATCH", "/webhooks/#{segment(webhook_id)}", body: { url:, events:, description:, enabled: }, if_match:)
      end

      # Forget a webhook, its secret and its log.
      #
      # It needs the scope `webhooks:write`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [nil]
      # @raise [APIError] among others {NotFoundError}, {PreconditionFailedError}, {PermissionDeniedError},
      #   {RateLimitError}
      def delete(webhook_id, if_match: nil)
        call("DELETE", "/webhooks/#{segment(webhook_id)}", if_match:)
      end

      # Replace the secret; the new one is answered this once, and the present one signs beside it for a while.
      #
      # It needs the scope `webhooks:write`.
      #
      # @param webhook_id [String] the id of a webhook
      # @param secret [String, nil]
      # @param overlap_hours [Integer]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a WebhookWithSecret
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def rotate_secret(webhook_id, secret: NOT_GIVEN, overlap_hours: NOT_GIVEN, idempotency_key: nil)
        call(
          "POST", "/webhooks/#{segment(webhook_id)}/rotate-secret",
          body: { secret:, overlapHours: overlap_hours },
          idempotency_key:
        )
      end
    end
  end
end
