# frozen_string_literal: true

module Blogsvc
  # The endless event stream. After the connection drops, it continues after the last event.
  # @api private
  class EventStream
    include Enumerable

    # @param requestor [Requestor]
    # @param path [String]
    # @param query [Hash]
    def initialize(requestor, path, query)
      @requestor = requestor
      @path = path
      @query = query
    end

    # @yieldparam event [Record]
    def each
      return to_enum unless block_given?

      parser = SseParser.new
      next_request = lambda do
        parser = SseParser.new(parser.last_event_id)
        request(parser.last_event_id)
      end
      @requestor.stream(next_request) do |chunk|
        parser.feed(chunk) { |data| yield decode(data) }
      end
    end

    private

    def decode(data)
      Record.new(JSON.parse(data))
    rescue JSON::ParserError
      raise Error, "The data of a stream event is not JSON."
    end

    def request(last_event_id)
      Request.new("GET", @path, query: @query, accept: "text/event-stream", last_event_id:)
    end
  end
  private_constant :EventStream
end
