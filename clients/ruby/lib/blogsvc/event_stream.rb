# frozen_string_literal: true

module Blogsvc
  # Events as they happen, for ever. Where the stream breaks off, it goes on after the last one that was told.
  # @api private
  class EventStream
    include Enumerable

    # @param sender [Sender]
    # @param path [String]
    # @param query [Hash]
    def initialize(sender, path, query)
      @sender = sender
      @path = path
      @query = query
    end

    # @yieldparam event [Record]
    def each
      return to_enum unless block_given?

      reader = ServerSentEvents.new
      ask = lambda do
        reader = ServerSentEvents.new(reader.last_id)
        request(reader.last_id)
      end
      @sender.listen(ask) do |part|
        reader.feed(part) { |data| yield event(data) }
      end
    end

    private

    def event(data)
      Record.new(JSON.parse(data))
    rescue JSON::ParserError
      raise Error, "The stream holds what is no event."
    end

    def request(last_id)
      Request.new("GET", @path, query: @query, accept: "text/event-stream", last_event_id: last_id)
    end
  end
  private_constant :EventStream
end
