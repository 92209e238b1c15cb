# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # How one post fares at one destination, and what a person may do about it.
    #
    # The fields of its answers:
    #
    # - DeliveryDetail: `id`, `platform`, `state`, `url`, `remote_id`, `attempts`, `last_error`, `next_attempt_at`,
    #   `delivered_at`, `drift`, `post_id`, `looked_at`, `attempt_log`
    # - DeliveryError: `code`, `detail`
    # - Attempt: `number`, `operation`, `started_at`, `finished_at`, `milliseconds`, `outcome`, `error`
    class Deliveries < Resource
      # Read a delivery, with every attempt.
      #
      # `uncertain` means that it was sent and no answer came; look there, then resolve it.
      #
      # It needs the scope `posts:read`.
      #
      # @param delivery_id [String] the id of a delivery
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a DeliveryDetail
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def get(delivery_id, if_none_match: nil)
        call("GET", "/deliveries/#{segment(delivery_id)}", if_none_match:)
      end

      # Try a delivery now that failed, waits, or whose copy was changed there.
      #
      # Whatever its back-off says. Where the copy was changed or removed there (`drift`, or the error `conflict`), this
      # is its author's word to write over it, or to make it anew. One that is uncertain is resolved instead.
      #
      # It needs the scope `posts:publish`.
      #
      # @param delivery_id [String] the id of a delivery
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a DeliveryDetail
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def retry(delivery_id, idempotency_key: nil)
        call("POST", "/deliveries/#{segment(delivery_id)}/retry", idempotency_key:)
      end

      # Say of an uncertain delivery whether the copy is there.
      #
      # `delivered` where the copy is there, with its address if you like; `retry` where it is not: it is sent again.
      #
      # It needs the scope `posts:publish`.
      #
      # @param delivery_id [String] the id of a delivery
      # @param outcome [String] one of `delivered`, `retry`
      # @param url [String, nil]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a DeliveryDetail
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def resolve(delivery_id, outcome:, url: NOT_GIVEN, idempotency_key: nil)
        call("POST", "/deliveries/#{segment(delivery_id)}/resolve", body: { outcome:, url: }, idempotency_key:)
      end

      # Leave a copy as it is: it failed, or was changed or removed there, and that shall be so.
      #
      # It is asked about no more. The next change of the post goes there all the same.
      #
      # It needs the scope `posts:publish`.
      #
      # @param delivery_id [String] the id of a delivery
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a DeliveryDetail
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def leave(delivery_id, idempotency_key: nil)
        call("POST", "/deliveries/#{segment(delivery_id)}/leave", idempotency_key:)
      end

      # Take the copy down there; the post and its other copies stay.
      #
      # It needs the scope `posts:publish`.
      #
      # @param delivery_id [String] the id of a delivery
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a DeliveryDetail
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def withdraw(delivery_id, idempotency_key: nil)
        call("POST", "/deliveries/#{segment(delivery_id)}/withdraw", idempotency_key:)
      end
    end
  end
end
