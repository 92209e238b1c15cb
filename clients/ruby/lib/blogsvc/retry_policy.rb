# frozen_string_literal: true

module Blogsvc
  # Decides whether a request is retried, and after how long.
  # @api private
  class RetryPolicy
    # Seconds.
    INITIAL_DELAY = 0.5
    MAX_DELAY = 8
    private_constant :INITIAL_DELAY, :MAX_DELAY

    # @param options [Options]
    def initialize(options)
      @options = options
      freeze
    end

    # @param outcome [RawResponse, ConnectionError]
    # @param retries [Integer] the number of retries so far
    # @param unlimited [Boolean] whether to ignore max_retries
    # @return [Numeric, nil] seconds to wait before the retry, or nil if there is none
    def delay(request, outcome, retries, unlimited: false)
      return unless unlimited || retries < @options.max_retries
      return unless retryable?(request, outcome)

      retry_after = outcome.retry_after if outcome.is_a?(RawResponse)
      return backoff(retries) unless retry_after

      retry_after if retry_after <= @options.max_retry_wait
    end

    private

    def retryable?(request, outcome)
      return outcome.retryable? if outcome.is_a?(RawResponse)

      # If the lost attempt succeeded, it changed the ETag, so that a retry would fail because of its own change.
      !(request.if_match? && outcome.sent?)
    end

    # Jitter keeps clients from retrying at the same time.
    def backoff(retries) = rand(0.5..1.0) * [MAX_DELAY, INITIAL_DELAY * (2**[retries, 10].min)].min
  end
  private_constant :RetryPolicy
end
