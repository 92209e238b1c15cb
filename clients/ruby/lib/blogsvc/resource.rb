# frozen_string_literal: true

module Blogsvc
  # What the resources of a client have in common.
  class Resource
    # @api private
    def initialize(sender)
      @sender = sender
      freeze
    end

    # @return [String]
    def inspect = "#<#{self.class}>"
    alias to_s inspect

    private

    def call(verb, path, **parts) = @sender.call(Request.new(verb, path, **parts))

    def page(verb, path, **parts) = Page.new(@sender, Request.new(verb, path, **parts))

    def upload_file(path, file, filename, fields, **parts)
      call("POST", path, body: Multipart.new(Values.form(fields), file, filename), **parts)
    end

    def listen(path, query, &block)
      events = EventStream.new(@sender, path, query)
      block ? events.each(&block) : events.to_enum
    end

    def segment(id) = Values.segment(id)
  end
end
