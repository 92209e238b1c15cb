# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # How posts did, on our own blog and elsewhere.
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
    class Analytics < Resource
      # How posts did, here and elsewhere.
      #
      # A metric that a platform does not offer is nil, never 0. Views of our own blog are counted without cookies.
      #
      # It needs the scope `analytics:read`.
      #
      # @param from [Date, Time, String] a date or a time
      # @param to [Date, Time, String] a date, which is taken in, or a time, which is not
      # @param interval [String] of the series; one of `day`, `week`, `month`
      # @param timezone [String] whose days they are, such as `Europe/Berlin`
      # @param platform [Array<String>, String] these alone
      # @param metric [Array<String>, String] these alone; any of `views`, `visitors`, `likes`, `comments`, `shares`,
      #   `clicks`
      # @param group_by [String] this grouping alone, instead of all three; one of `post`, `platform`, `day`
      # @param post_id [Array<String>, String] these alone
      # @return [Record] an Analytics
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def get(from: NOT_GIVEN, to: NOT_GIVEN, interval: NOT_GIVEN, timezone: NOT_GIVEN, platform: NOT_GIVEN,
              metric: NOT_GIVEN, group_by: NOT_GIVEN, post_id: NOT_GIVEN)
        call(
          "GET", "/analytics",
          query: { from:, to:, interval:, timezone:, platform:, metric:, groupBy: group_by, postId: post_id }
        )
      end
    end
  end
end
