# frozen_string_literal: true

module Blogsvc
  # Passes every attempt to the `log` option, without headers and body.
  # @api private
  class AttemptLog
    # @param options [Options]
    def initialize(options)
      @root = options.base.path
      log = options.log
      @callback = log.nil? || log.respond_to?(:call) ? log : ->(entry) { log.debug { line(entry) } }
      freeze
    end

    # @param attempt [Integer] the number of the attempt, starting at 1
    # @param outcome [RawResponse, ConnectionError]
    # @param seconds [Float] the duration of the attempt
    # @param retry_in [Numeric, nil] seconds until the retry, or nil if there is none
    def log(request, attempt, outcome, seconds, retry_in = nil)
      @callback&.call(
        {
          method: request.verb, path: "#{@root}#{request.path}", attempt:, **result(outcome),
          milliseconds: (seconds * 1000).round, retry_in:
        }
      )
    end

    private

    def result(outcome)
      return { status: nil, error: outcome.class, request_id: nil } unless outcome.is_a?(RawResponse)

      { status: outcome.status, error: nil, request_id: outcome.response.request_id }
    end

    def line(entry)
      parts = entry.values_at(:method, :path).push(entry[:status] || entry[:error], "in #{entry[:milliseconds]} ms")
      parts << "(attempt #{entry[:attempt]})" if entry[:attempt] > 1
      parts << "retry in #{entry[:retry_in].round(2)} s" if entry[:retry_in]
      parts << "request #{entry[:request_id]}" if entry[:request_id]
      "blogsvc: #{parts.join(" ")}"
    end
  end
  private_constant :AttemptLog
end
