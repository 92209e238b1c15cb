# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # What happened, as a list and as a stream.
    #
    # The fields of its answers:
    #
    # - Event: `id`, `type`, `post_id`, `delivery_id`, `data`, `created_at`
    class Events < Resource
      # What happened in the last 30 days, oldest first.
      #
      # It needs the scope `posts:read`.
      #
      # @param limit [Integer] how many to a page
      # @param cursor [String] `next_cursor` of the page before
      # @param after [String] the id of the last event that is known already
      # @param type [Array<String>, String] events of these types alone
      # @param post_id [String] events of this post alone
      # @param sort [String] `-` is the newest first; one of `createdAt`, `-createdAt`
      # @return [Page] its rows: Event
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def list(limit: NOT_GIVEN, cursor: NOT_GIVEN, after: NOT_GIVEN, type: NOT_GIVEN, post_id: NOT_GIVEN,
               sort: NOT_GIVEN)
        page("GET", "/events", query: { limit:, cursor:, after:, type:, postId: post_id, sort: })
      end

      # The same as server-sent events, from now on or after a known one.
      #
      # It goes on for ever: leave it with `break`. Where it breaks off it comes back, so that no event is missed or
      # told twice.
      #
      # It needs the scope `posts:read`.
      #
      # @param after [String] the id of the last event that is known already
      # @param type [Array<String>, String] events of these types alone
      # @param post_id [String] events of this post alone
      # @yieldparam event [Record] an Event
      # @return [Enumerator] without a block
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def stream(after: NOT_GIVEN, type: NOT_GIVEN, post_id: NOT_GIVEN, &block)
        listen("/events/stream", { after:, type:, postId: post_id }, &block)
      end
    end
  end
end
