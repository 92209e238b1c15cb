# frozen_string_literal: true

module Blogsvc
  # Reads a stream of server-sent events (HTML Living Standard, 9.2.6), part by part, wherever those are cut.
  # @api private
  class ServerSentEvents
    # A return at the end of a part may be half of a line's end.
    LINE = /\A([^\r\n]*)(?:\r\n|\n|\r(?!\z))/n
    private_constant :LINE

    # @return [String, nil] where to go on: the id of the last event, or of where the stream began
    attr_reader :last_id

    # @param last_id [String, nil] that of the stream which this one goes on with
    def initialize(last_id = nil)
      @buffer = +"".b
      @id = @last_id = last_id
      @data = []
    end

    # Yields the data of each event that is complete.
    # @param part [String] bytes
    def feed(part)
      @buffer << part.b
      while (line = @buffer.slice!(LINE))
        line.chomp!
        next read(line) unless line.empty?

        # An id counts without data as well, once its event is complete.
        @last_id = @id
        data = @data.join("\n")
        @data = []
        yield data unless data.empty?
      end
    end

    private

    def read(line)
      name, value = line.force_encoding(Encoding::UTF_8).scrub.split(":", 2)
      value = value.to_s.delete_prefix(" ")
      case name
      when "id" then @id = value
      when "data" then @data << value
      end
    end
  end
  private_constant :ServerSentEvents
end
