# frozen_string_literal: true

module Blogsvc
  # Tells whoever wants to know of each attempt; never a header, never a body.
  # @api private
  class AttemptLog
    # @param options [Options]
    def initialize(options)
      @root = options.base.path
      log = options.log
      @tell = log.nil? || log.respond_to?(:call) ? log : ->(entry) { log.debug { line(entry) } }
      freeze
    end

    # @param attempt [Integer] from 1
    # @param outcome [Answer, ConnectionError]
    # @param seconds [Float] how long it took
    # @param retry_in [Numeric, nil] in how many seconds it is tried again
    def tell(request, attempt, outcome, seconds, retry_in = nil)
      @tell&.call(
        {
          method: request.verb, path: "#{@root}#{request.path}", attempt:, **result(outcome),
          milliseconds: (seconds * 1000).round, retry_in:
        }
      )
    end

    private

    def result(outcome)
      return { status: nil, error: outcome.class, request_id: nil } unless outcome.is_a?(Answer)

      { status: outcome.status, error: nil, request_id: outcome.response.request_id }
    end

    def line(entry)
      said = entry.values_at(:method, :path).push(entry[:status] || entry[:error], "in #{entry[:milliseconds]} ms")
      said << "(attempt #{entry[:attempt]})" if entry[:attempt] > 1
      said << "again in #{entry[:retry_in].round(2)} s" if entry[:retry_in]
      said << "request #{entry[:request_id]}" if entry[:request_id]
      "blogsvc: #{said.join(" ")}"
    end
  end
  private_constant :AttemptLog
end
