# frozen_string_literal: true

module Blogsvc
  # Sends requests with retries.
  # @api private
  class Requestor
    # @param options [Options]
    def initialize(options)
      @client = HttpClient.new(options)
      @retry_policy = RetryPolicy.new(options)
      @log = AttemptLog.new(options)
      freeze
    end

    # @return [Record, nil] nil if the response is empty
    # @raise [ConnectionError, APIError]
    def call(request)
      send_with_retries(request)
    rescue Error => error
      error.idempotency_key = request.idempotency_key
      raise
    end

    # Yields the chunks of a stream, without end. After the connection drops, it sends the next request.
    # Until the first connection opens, max_retries applies.
    # @param next_request [#call] returns the next {Request}
    # @raise [ConnectionError, APIError]
    def stream(next_request, &on_chunk)
      first_started = now
      retries = 0
      has_connected = false
      (0..).each do
        request = next_request.call
        started = now
        on_open = lambda do |response|
          @log.log(request, retries + 1, RawResponse.new(response, ""), now - started)
          retries = 0
          has_connected = true
        end
        outcome = @client.stream(request, on_open, &on_chunk)
        delay = @retry_policy.delay(request, outcome, retries, now - first_started, unlimited: has_connected)
        @log.log(request, retries + 1, outcome, now - started, delay)
        raise_error(request, outcome) unless delay

        retries += 1
        sleep(delay)
      end
    end

    private

    def send_with_retries(request)
      may_be_done = false
      first_started = now
      (0..).each do |retries|
        started = now
        outcome = @client.call(request)
        delay = @retry_policy.delay(request, outcome, retries, now - first_started)
        @log.log(request, retries + 1, outcome, now - started, delay)
        return conclude(request, outcome, may_be_done) unless delay

        may_be_done ||= outcome.lost?
        sleep(delay)
      end
    end

    def conclude(request, outcome, may_be_done)
      raise_error(request, outcome) unless outcome.is_a?(RawResponse)
      # An earlier attempt, whose response was lost, has deleted the resource.
      return if may_be_done && request.delete? && outcome.status == 404

      outcome.record
    end

    def raise_error(request, outcome)
      raise outcome.error if outcome.is_a?(RawResponse)
      raise outcome unless request.if_match? && outcome.sent?

      raise outcome.exception(
        "#{outcome.message} The server may have made the change. A request with if_match is not retried: " \
        "fetch the resource to see its state."
      )
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
  private_constant :Requestor
end
