# frozen_string_literal: true

module Blogsvc
  # Adds `wait` to the posts resource.
  module Polling
    # Seconds between two requests.
    INITIAL_DELAY = 0.25
    GROWTH = 1.5
    MAX_DELAY = 5.0
    PENDING_DELIVERIES = %w[queued sending retrying].freeze
    private_constant :INITIAL_DELAY, :GROWTH, :MAX_DELAY, :PENDING_DELIVERIES

    # Wait until a post has finished publishing.
    #
    # A post has finished when its status is not `scheduled` and none of its deliveries is
    # `queued`, `sending` or `retrying`.
    #
    # @param post_id [String] the id of a post
    # @param timeout [Numeric] seconds to wait
    # @yieldparam post [Record] the post, each time it has changed
    # @return [Record] the post
    # @raise [WaitTimeoutError] if the post has not finished in time; `post` is its last known state
    def wait(post_id, timeout: 300)
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      delay = INITIAL_DELAY
      post = nil
      (0..).each do
        current = get(post_id, if_none_match: post&.response&.etag)
        if current && current != post
          post = current
          yield post if block_given?
        end
        return post if finished?(post)

        left = started + timeout - Process.clock_gettime(Process::CLOCK_MONOTONIC)
        raise WaitTimeoutError.new(timeout_message(post, timeout), post:) unless left.positive?

        sleep([delay, left].min)
        delay = [delay * GROWTH, MAX_DELAY].min
      end
    end

    private

    def finished?(post)
      return false if post["status"] == "scheduled"

      post["deliveries"].none? { |delivery| PENDING_DELIVERIES.include?(delivery["state"]) }
    end

    def timeout_message(post, timeout)
      "Post #{post["id"]} has not finished within #{timeout} s. Its status is #{post["status"]}."
    end
  end
end
