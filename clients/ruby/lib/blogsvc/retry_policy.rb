# frozen_string_literal: true

module Blogsvc
  # Decides whether a request is retried, and after how long.
  # @api private
  class RetryPolicy
    # Seconds.
    INITIAL_DELAY = 0.5
    MAX_DELAY = 4
    private_constant :INITIAL_DELAY, :MAX_DELAY

    # @param options [Options]
    def initialize(options)
      @options = options
      freeze
    end

    # @param outcome [RawResponse, ConnectionError]
    # @param retries [Integer] the number of retries so far
    # @param elapsed [Float] the seconds since the first attempt started
    # @param unlimited [Boolean] whether to ignore max_retries
    # @return [Numeric, nil] seconds to wait before the retry, or nil if there is none
    def delay(request, outcome, retries, elapsed, unlimited: false)
      return unless retryable?(request, outcome)

      retry_after = outcome.retry_after if outcome.is_a?(RawResponse)
      return if retry_after && retry_after > @options.max_retry_wait

      delay = retry_after || backoff(retries)
      delay if unlimited || retries < @options.max_retries || elapsed + delay <= @options.retry_for
    end

    private

    def retryable?(request, outcome)
      # If the lost attempt succeeded, it changed the ETag, so that a retry would fail because of its own change.
      return false if request.if_match? && outcome.lost?
      return true if outcome.is_a?(ConnectionError)

      outcome.retryable? || (outcome.lost? && @options.retry_for.positive?)
    end

    # Jitter keeps clients from retrying at the same time.
    def backoff(retries) = rand(0.5..1.0) * [MAX_DELAY, INITIAL_DELAY * (2**[retries, 10].min)].min
  end
  private_constant :RetryPolicy
end
