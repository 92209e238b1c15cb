# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # A key with `keys:write` manages those that have no more than it has itself.
    #
    # The fields of its answers:
    #
    # - NewKey: `id`, `name`, `prefix`, `scopes`, `limits`, `created_at`, `last_used_at`, `expires_at`, `revoked_at`,
    #   `key`
    # - Rates: `read`, `write`, `publish`
    # - Key: `id`, `name`, `prefix`, `scopes`, `limits`, `created_at`, `last_used_at`, `expires_at`, `revoked_at`
    class Keys < Resource
      # Make a key, whose text is shown this once.
      #
      # It needs the scope `keys:write`.
      #
      # @param name [String]
      # @param scopes [Array<String>] any of `all`, `posts:read`, `posts:write`, `posts:publish`, `analytics:read`,
      #   `platforms:read`, `platforms:write`, `webhooks:read`, `webhooks:write`, `media:write`, `keys:write`
      # @param expires_at [Time, String, nil]
      # @param limits [Hash, nil] with `read`, `write`, `publish`
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a NewKey
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def create(name:, scopes:, expires_at: NOT_GIVEN, limits: NOT_GIVEN, idempotency_key: nil)
        call("POST", "/keys", body: { name:, scopes:, expiresAt: expires_at, limits: }, idempotency_key:)
      end

      # List keys, newest first; those that have ended too.
      #
      # It needs the scope `keys:write`.
      #
      # @param limit [Integer] how many to a page
      # @param cursor [String] `next_cursor` of the page before
      # @return [Page] its rows: Key
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def list(limit: NOT_GIVEN, cursor: NOT_GIVEN)
        page("GET", "/keys", query: { limit:, cursor: })
      end

      # Read what a key is called and may do.
      #
      # It needs the scope `keys:write`.
      #
      # @param key_id [String] the id of a key
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a Key
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def get(key_id, if_none_match: nil)
        call("GET", "/keys/#{segment(key_id)}", if_none_match:)
      end

      # Change a key: the fields that are sent; the rest stays.
      #
      # It needs the scope `keys:write`.
      #
      # @param key_id [String] the id of a key
      # @param name [String]
      # @param scopes [Array<String>] any of `all`, `posts:read`, `posts:write`, `posts:publish`, `analytics:read`,
      #   `platforms:read`, `platforms:write`, `webhooks:read`, `webhooks:write`, `media:write`, `keys:write`
      # @param expires_at [Time, String, nil] nil clears it
      # @param limits [Hash, nil] with `read`, `write`, `publish`; nil clears it
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [Record] a Key
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PreconditionFailedError},
      #   {PermissionDeniedError}, {RateLimitError}
      def update(key_id, name: NOT_GIVEN, scopes: NOT_GIVEN, expires_at: NOT_GIVEN, limits: NOT_GIVEN, if_match: nil)
        call("PATCH", "/keys/#{segment(key_id)}", body: { name:, scopes:, expiresAt: expires_at, limits: }, if_match:)
      end

      # Revoke a key at once; it stays listed.
      #
      # It needs the scope `keys:write`.
      #
      # @param key_id [String] the id of a key
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [nil]
      # @raise [APIError] among others {NotFoundError}, {PreconditionFailedError}, {PermissionDeniedError},
      #   {RateLimitError}
      def revoke(key_id, if_match: nil)
        call("DELETE", "/keys/#{segment(key_id)}", if_match:)
      end

      # Put a new key in the place of one, which goes on working for a while.
      #
      # It needs the scope `keys:write`.
      #
      # @param key_id [String] the id of a key
      # @param overlap_hours [Integer]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a NewKey
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def rotate(key_id, overlap_hours: NOT_GIVEN, idempotency_key: nil)
        call("POST", "/keys/#{segment(key_id)}/rotate", body: { overlapHours: overlap_hours }, idempotency_key:)
      end
    end
  end
end
