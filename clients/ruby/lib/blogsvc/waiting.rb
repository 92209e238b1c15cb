# frozen_string_literal: true

module Blogsvc
  # Waiting for a post, which has no operation of its own.
  module Waiting
    # Seconds between two looks: at first, how much longer each time, and at most.
    FIRST_PAUSE = 0.25
    GROWTH = 1.5
    LONGEST_PAUSE = 5.0
    UNSETTLED = %w[scheduled publishing].freeze
    UNDER_WAY = %w[queued sending retrying].freeze
    private_constant :FIRST_PAUSE, :GROWTH, :LONGEST_PAUSE, :UNSETTLED, :UNDER_WAY

    # Wait until a post has settled: it is neither scheduled nor publishing, and none of its deliveries is under way.
    #
    # @param post_id [String] the id of a post
    # @param timeout [Numeric] how many seconds to wait
    # @yieldparam post [Record] each answer that differs from the one before
    # @return [Record] the post
    # @raise [WaitTimeoutError] with the post as it was answered last
    def wait(post_id, timeout: 300)
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      pause = FIRST_PAUSE
      post = nil
      (0..).each do
        answer = get(post_id, if_none_match: post&.response&.etag)
        if answer && answer != post
          post = answer
          yield post if block_given?
        end
        return post if settled?(post)

        left = started + timeout - Process.clock_gettime(Process::CLOCK_MONOTONIC)
        raise WaitTimeoutError.new("The post did not settle in #{timeout} s.", post:) unless left.positive?

        sleep([pause, left].min)
        pause = [pause * GROWTH, LONGEST_PAUSE].min
      end
    end

    private

    def settled?(post)
      !UNSETTLED.include?(post["status"]) && post["deliveries"].none? { |one| UNDER_WAY.include?(one["state"]) }
    end
  end
end
