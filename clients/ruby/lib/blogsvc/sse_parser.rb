# frozen_string_literal: true

module Blogsvc
  # Parses server-sent events (HTML Living Standard, 9.2.6) from chunks of any size.
  # @api private
  class SseParser
    # A CR at the end of the buffer may be the first half of CR LF.
    LINE = /\A([^\r\n]*)(?:\r\n|\n|\r(?!\z))/n
    private_constant :LINE

    # @return [String, nil] the id of the last complete event, or the id at which the stream started
    attr_reader :last_event_id

    # @param last_event_id [String, nil] the last event id of the previous connection
    def initialize(last_event_id = nil)
      @buffer = +"".b
      @id = @last_event_id = last_event_id
      @data = []
    end

    # Yields the data of each event that this chunk completes.
    # @param chunk [String] bytes
    def feed(chunk)
      @buffer << chunk.b
      while (line = @buffer.slice!(LINE))
        line.chomp!
        next parse_field(line) unless line.empty?

        # An event without data also sets the last event id.
        @last_event_id = @id
        data = @data.join("\n")
        @data = []
        yield data unless data.empty?
      end
    end

    private

    def parse_field(line)
      name, value = line.force_encoding(Encoding::UTF_8).scrub.split(":", 2)
      value = value.to_s.delete_prefix(" ")
      case name
      when "id" then @id = value
      when "data" then @data << value
      end
    end
  end
  private_constant :SseParser
end
