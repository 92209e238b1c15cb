# frozen_string_literal: true

module Blogsvc
  # The base class of resources.
  class Resource
    # @api private
    def initialize(requestor)
      @requestor = requestor
      freeze
    end

    # @return [String]
    def inspect = "#<#{self.class}>"
    alias to_s inspect

    private

    def request(verb, path, **options) = @requestor.call(Request.new(verb, path, **options))

    def request_page(verb, path, **options) = Page.new(@requestor, Request.new(verb, path, **options))

    def upload_file(path, file, filename, fields, **options)
      request("POST", path, body: Multipart.new(Encoder.form(fields), file, filename), **options)
    end

    def stream_events(path, query, &block)
      events = EventStream.new(@requestor, path, query)
      block ? events.each(&block) : events.to_enum
    end

    def segment(id) = Encoder.segment(id)
  end
end
