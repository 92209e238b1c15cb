# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # What is written here, and goes out here and elsewhere when its time has come.
    #
    # The fields of its answers:
    #
    # - Analytics: `range`, `totals`, `series`, `by_platform`, `by_post`, `referrers`, `collected_at`
    # - DateRange: `from`, `to`, `interval`, `timezone`
    # - Totals: `views`, `visitors`, `likes`, `comments`, `shares`, `clicks`, `deliveries`
    # - DeliveryFigures: `delivered`, `failed`, `uncertain`, `pending`, `withdrawn`, `retried`, `success_rate`,
    #   `median_lateness`
    # - DayFigures: `views`, `visitors`, `likes`, `comments`, `shares`, `clicks`, `date`
    # - PlatformFigures: `views`, `visitors`, `likes`, `comments`, `shares`, `clicks`, `platform`, `deliveries`
    # - PostFigures: `views`, `visitors`, `likes`, `comments`, `shares`, `clicks`, `post_id`, `title`
    # - Referrer: `host`, `views`
    # - Post: `id`, `title`, `content`, `summary`, `slug`, `tags`, `platforms`, `scheduled_at`, `status`,
    #   `canonical_url`, `cover_image`, `language`, `overrides`, `url`, `has_unpublished_changes`, `word_count`,
    #   `created_at`, `updated_at`, `published_at`, `deleted_at`, `deliveries`
    # - Delivery: `id`, `platform`, `state`, `url`, `remote_id`, `attempts`, `last_error`, `next_attempt_at`,
    #   `delivered_at`, `drift`
    # - DeliveryError: `code`, `detail`
    # - DryRun: `dry_run`, `platforms`
    # - Trial: `platform`, `operation`, `payload`, `warnings`, `limits`, `error`
    # - Limit: `part`, `most`, `unit`
    # - Preview: `platforms`
    # - Bulk: `results`
    # - Result: `status`, `post`, `problem`
    # - Problem: `type`, `title`, `status`, `detail`, `instance`, `errors`
    # - ProblemError: `pointer`, `parameter`, `code`, `detail`, `platform`, `rule`, `remediation`
    # - Copy: `delivery_id`, `platform`, `state`, `url`, `detail`
    # - Event: `id`, `type`, `post_id`, `delivery_id`, `data`, `created_at`
    # - Revision: `number`, `reason`, `restored_from`, `is_live`, `title`, `created_at`
    # - RevisionInFull: `content`, `summary`, `slug`, `tags`, `canonical_url`, `cover_image`, `language`, `overrides`,
    #   `number`, `reason`, `restored_from`, `is_live`, `title`, `created_at`
    class Posts < Resource
      include Waiting

      # How one post did.
      #
      # It needs the scope `analytics:read`.
      #
      # @param post_id [String] the id of a post
      # @param from [Date, Time, String] a date or a time
      # @param to [Date, Time, String] a date, which is taken in, or a time, which is not
      # @param interval [String] of the series; one of `day`, `week`, `month`
      # @param timezone [String] whose days they are, such as `Europe/Berlin`
      # @param platform [Array<String>, String] these alone
      # @param metric [Array<String>, String] these alone; any of `views`, `visitors`, `likes`, `comments`, `shares`,
      #   `clicks`
      # @param group_by [String] this grouping alone, instead of all three; one of `post`, `platform`, `day`
      # @return [Record] an Analytics
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def analytics(post_id, from: NOT_GIVEN, to: NOT_GIVEN, interval: NOT_GIVEN, timezone: NOT_GIVEN,
                    platform: NOT_GIVEN, metric: NOT_GIVEN, group_by: NOT_GIVEN)
        call(
          "GET", "/posts/#{segment(post_id)}/analytics",
          query: { from:, to:, interval:, timezone:, platform:, metric:, groupBy: group_by }
        )
      end

      # Write a post, to be published later, at a time, or not yet.
      #
      # `scheduled_at` names an instant, `schedule` a wall time in a zone; without either it is a draft.
      #
      # A post that has a time needs content and the scope `posts:publish` too. A wall time stays what it is should the
      # rules of its zone change. One that a change of the clocks skips or repeats is refused unless `fold` says which.
      #
      # It needs the scope `posts:write`.
      #
      # @param title [String]
      # @param content [String, nil]
      # @param platforms [Array<String>, nil]
      # @param scheduled_at [Time, String, nil]
      # @param schedule [Hash, nil] with `localTime`, `timeZone`, `fold`
      # @param summary [String, nil]
      # @param slug [String, nil]
      # @param tags [Array<String>, nil]
      # @param canonical_url [String, nil]
      # @param cover_image [String, nil]
      # @param language [String, nil]
      # @param overrides [Hash, nil]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Post
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def create(title:, content: NOT_GIVEN, platforms: NOT_GIVEN, scheduled_at: NOT_GIVEN, schedule: NOT_GIVEN,
                 summary: NOT_GIVEN, slug: NOT_GIVEN, tags: NOT_GIVEN, canonical_url: NOT_GIVEN, cover_image: NOT_GIVEN,
                 language: NOT_GIVEN, overrides: NOT_GIVEN, idempotency_key: nil)
        call(
          "POST", "/posts",
          body: {
            content:, platforms:, scheduledAt: scheduled_at, schedule:, summary:, slug:, tags:,
            canonicalUrl: canonical_url, coverImage: cover_image, language:, overrides:, title:
          },
          idempotency_key:
        )
      end

      # List posts.
      #
      # Filters narrow together. `fields` leaves of each post what it names: without `content` a list is short.
      #
      # It needs the scope `posts:read`.
      #
      # @param status [Array<String>, String] posts in any of these states; any of `draft`, `scheduled`, `publishing`,
      #   `published`, `partial`, `failed`, `missed`, `unpublished`
      # @param platform [String] posts that are meant for this platform
      # @param tag [String] posts with this tag, as it is written there
      # @param q [String] words, "quoted phrases", and -what is not wanted
      # @param created_after [Time, String] later than this
      # @param created_before [Time, String] earlier than this
      # @param updated_after [Time, String] later than this
      # @param updated_before [Time, String] earlier than this
      # @param scheduled_after [Time, String] later than this
      # @param scheduled_before [Time, String] earlier than this
      # @param published_after [Time, String] later than this
      # @param published_before [Time, String] earlier than this
      # @param trashed [Boolean] the posts in the trash, and no others
      # @param sort [String] by what; `-` is descending. Posts without that time come last; one of `createdAt`,
      #   `-createdAt`, `updatedAt`, `-updatedAt`, `scheduledAt`, `-scheduledAt`, `publishedAt`, `-publishedAt`,
      #   `title`, `-title`
      # @param limit [Integer] how many to a page
      # @param cursor [String] `next_cursor` of the page before, with the same `sort`
      # @param fields [Array<String>, String] these fields alone; by default all
      # @return [Page] its rows: Post
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def list(status: NOT_GIVEN, platform: NOT_GIVEN, tag: NOT_GIVEN, q: NOT_GIVEN, created_after: NOT_GIVEN,
               created_before: NOT_GIVEN, updated_after: NOT_GIVEN, updated_before: NOT_GIVEN,
               scheduled_after: NOT_GIVEN, scheduled_before: NOT_GIVEN, published_after: NOT_GIVEN,
               published_before: NOT_GIVEN, trashed: NOT_GIVEN, sort: NOT_GIVEN, limit: NOT_GIVEN, cursor: NOT_GIVEN,
               fields: NOT_GIVEN)
        page(
          "GET", "/posts",
          query: {
            status:, platform:, tag:, q:, createdAfter: created_after, createdBefore: created_before,
            updatedAfter: updated_after, updatedBefore: updated_before, scheduledAfter: scheduled_after,
            scheduledBefore: scheduled_before, publishedAfter: published_after, publishedBefore: published_before,
            trashed:, sort:, limit:, cursor:, fields:
          }
        )
      end

      # Read a post.
      #
      # With its deliveries. `content` is what is written here by now; readers see what was published last.
      #
      # It needs the scope `posts:read`.
      #
      # @param post_id [String] the id of a post
      # @param fields [Array<String>, String] these fields alone; by default all
      # @param trashed [Boolean] look in the trash too
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a Post
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def get(post_id, fields: NOT_GIVEN, trashed: NOT_GIVEN, if_none_match: nil)
        call("GET", "/posts/#{segment(post_id)}", query: { fields:, trashed: }, if_none_match:)
      end

      # Change a post: the fields that are sent; the rest stays.
      #
      # A new time reschedules, `scheduled_at: nil` takes a scheduled post back to a draft.
      #
      # A change of what is published stays here (`has_unpublished_changes`) until it is published again, or at once
      # with `publish: true`. `if_match` with the post's ETag guards against changing what somebody else has changed
      # since.
      #
      # It needs the scope `posts:write`.
      #
      # @param post_id [String] the id of a post
      # @param content [String, nil] nil clears it
      # @param platforms [Array<String>, nil] nil clears it
      # @param scheduled_at [Time, String, nil] nil clears it
      # @param schedule [Hash, nil] with `localTime`, `timeZone`, `fold`; nil clears it
      # @param summary [String, nil] nil clears it
      # @param slug [String, nil] nil clears it
      # @param tags [Array<String>, nil] nil clears it
      # @param canonical_url [String, nil] nil clears it
      # @param cover_image [String, nil] nil clears it
      # @param language [String, nil] nil clears it
      # @param overrides [Hash, nil] nil clears it
      # @param title [String]
      # @param publish [Boolean]
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [Record] a Post
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PreconditionFailedError},
      #   {PermissionDeniedError}, {RateLimitError}
      def update(post_id, content: NOT_GIVEN, platforms: NOT_GIVEN, scheduled_at: NOT_GIVEN, schedule: NOT_GIVEN,
                 summary: NOT_GIVEN, slug: NOT_GIVEN, tags: NOT_GIVEN, canonical_url: NOT_GIVEN, cover_image: NOT_GIVEN,
                 language: NOT_GIVEN, overrides: NOT_GIVEN, title: NOT_GIVEN, publish: NOT_GIVEN, if_match: nil)
        call(
          "PATCH", "/posts/#{segment(post_id)}",
          body: {
            content:, platforms:, scheduledAt: scheduled_at, schedule:, summary:, slug:, tags:,
            canonicalUrl: canonical_url, coverImage: cover_image, language:, overrides:, title:, publish:
          },
          if_match:
        )
      end

      # Put a post in the trash, take its copies down too, or erase it for good.
      #
      # It stays in the trash for 30 days, and can be restored. Deliveries that were still to be sent are cancelled.
      #
      # It needs the scope `posts:write`.
      #
      # @param post_id [String] the id of a post
      # @param withdraw [Boolean] take its copies down too
      # @param permanent [Boolean] erase it for good, from the trash too
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [Record, nil] a Post, or nil where it is done
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PreconditionFailedError},
      #   {PermissionDeniedError}, {RateLimitError}
      def delete(post_id, withdraw: NOT_GIVEN, permanent: NOT_GIVEN, if_match: nil)
        call("DELETE", "/posts/#{segment(post_id)}", query: { withdraw:, permanent: }, if_match:)
      end

      # Take a post out of the trash.
      #
      # It comes back as a draft, or as unpublished where it had been live.
      #
      # It needs the scope `posts:write`.
      #
      # @param post_id [String] the id of a post
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Post
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def restore(post_id, idempotency_key: nil)
        call("POST", "/posts/#{segment(post_id)}/restore", idempotency_key:)
      end

      # Write a draft with the words of another post.
      #
      # It needs the scope `posts:write`.
      #
      # @param post_id [String] the id of a post
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Post
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def duplicate(post_id, idempotency_key: nil)
        call("POST", "/posts/#{segment(post_id)}/duplicate", idempotency_key:)
      end

      # Publish a post, or bring its copies in step.
      #
      # To all of its platforms, or to those that are named; with `at`, not before then.
      #
      # The answer comes before the copies are there: follow `deliveries`, or wait for up to 30 s with `wait` and be
      # answered 200 once they have come to rest. Asking again never makes a second copy: one that is in step is left
      # alone, a changed one is updated, a failed one is tried again. `dry_run` answers what each platform would be
      # sent, with warnings, and sends nothing.
      #
      # It needs the scope `posts:publish`.
      #
      # @param post_id [String] the id of a post
      # @param platforms [Array<String>, nil]
      # @param at [Time, String, nil]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @param wait [Integer, nil] for so many seconds, 1 to 30, until the outcome is there
      # @return [Record] a Post
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def publish(post_id, platforms: NOT_GIVEN, at: NOT_GIVEN, idempotency_key: nil, wait: nil)
        call("POST", "/posts/#{segment(post_id)}/publish", body: { platforms:, at: }, idempotency_key:, wait:)
      end

      # What publishing would send to each platform; it sends nothing.
      #
      # It needs the scope `posts:publish`.
      #
      # @param post_id [String] the id of a post
      # @param platforms [Array<String>, nil]
      # @param at [Time, String, nil]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a DryRun
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def dry_run(post_id, platforms: NOT_GIVEN, at: NOT_GIVEN, idempotency_key: nil)
        call(
          "POST", "/posts/#{segment(post_id)}/publish",
          query: { dryRun: true },
          body: { platforms:, at: },
          idempotency_key:
        )
      end

      # Take a post down here, and its copies wherever that can be done.
      #
      # It is off the blog at once, and elsewhere as soon as the platforms have answered; the text stays here.
      #
      # It needs the scope `posts:publish`.
      #
      # @param post_id [String] the id of a post
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Post
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def unpublish(post_id, idempotency_key: nil)
        call("POST", "/posts/#{segment(post_id)}/unpublish", idempotency_key:)
      end

      # What each destination would be sent, with what it allows; nothing is sent.
      #
      # The words as they stand, composed by the same code that publishes them.
      #
      # It needs the scope `posts:read`.
      #
      # @param post_id [String] the id of a post
      # @param platform [Array<String>, String] these alone; by default all of the post's own
      # @return [Record] a Preview
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def preview(post_id, platform: NOT_GIVEN)
        call("GET", "/posts/#{segment(post_id)}/preview", query: { platform: })
      end

      # Up to 100 changes, each done or refused for itself.
      #
      # It needs the scope `posts:write`.
      #
      # @param operations [Array<Hash>]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Bulk
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def bulk(operations:, idempotency_key: nil)
        call("POST", "/posts/bulk", body: { operations: }, idempotency_key:)
      end

      # Where a post went, and how that stands.
      #
      # It needs the scope `posts:read`.
      #
      # @param post_id [String] the id of a post
      # @return [Page] its rows: Delivery
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def deliveries(post_id)
        page("GET", "/posts/#{segment(post_id)}/deliveries")
      end

      # Ask the platforms whether the copies are there, and as we sent them.
      #
      # `edited` and `gone` are remembered as `drift` of the delivery. Nothing is written over: retry a delivery to have
      # its copy as it was sent, or leave it. Each copy is also looked at once a day.
      #
      # It needs the scope `posts:publish`.
      #
      # @param post_id [String] the id of a post
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Page] its rows: Copy
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def verify(post_id, idempotency_key: nil)
        page("POST", "/posts/#{segment(post_id)}/verify", idempotency_key:)
      end

      # The timeline of a post, oldest first.
      #
      # Everything that happened to it, each attempt to send it included.
      #
      # It needs the scope `posts:read`.
      #
      # @param post_id [String] the id of a post
      # @return [Page] its rows: Event
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def events(post_id)
        page("GET", "/posts/#{segment(post_id)}/events")
      end

      # The revisions of a post, newest first.
      #
      # It needs the scope `posts:read`.
      #
      # @param post_id [String] the id of a post
      # @param limit [Integer] how many to a page
      # @param cursor [String] `next_cursor` of the page before
      # @return [Page] its rows: Revision
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def revisions(post_id, limit: NOT_GIVEN, cursor: NOT_GIVEN)
        page("GET", "/posts/#{segment(post_id)}/revisions", query: { limit:, cursor: })
      end

      # Read a revision, with its words.
      #
      # It needs the scope `posts:read`.
      #
      # @param post_id [String] the id of a post
      # @param number [Integer] its number: 1 is the oldest
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a RevisionInFull
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def revision(post_id, number, if_none_match: nil)
        call("GET", "/posts/#{segment(post_id)}/revisions/#{segment(number)}", if_none_match:)
      end

      # Take the words of a revision for the working copy; what is live stays until it is published again.
      #
      # It needs the scope `posts:write`.
      #
      # @param post_id [String] the id of a post
      # @param number [Integer] its number: 1 is the oldest
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Post
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def restore_revision(post_id, number, idempotency_key: nil)
        call("POST", "/posts/#{segment(post_id)}/revisions/#{segment(number)}/restore", idempotency_key:)
      end
    end
  end
end
