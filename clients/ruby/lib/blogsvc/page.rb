# frozen_string_literal: true

module Blogsvc
  # A page of a list. To iterate over it goes through all the rows of this page and of those after it, which are
  # asked for when they are reached.
  #
  #     client.posts.list(tag: "ink").each { |post| puts post.title }
  #     client.posts.list(sort: "-publishedAt").lazy.select(&:url).first(3)
  class Page
    include Enumerable

    # @return [Array<Record>] the rows of this page
    attr_reader :data
    # @return [String, nil] where the next page begins; nil on the last one
    attr_reader :next_cursor
    # @return [Response] status, headers and request id
    attr_reader :response

    # @api private
    def initialize(sender, request)
      @sender = sender
      @request = request
      @record = sender.call(request)
      @data = @record["data"]
      @next_cursor = @record["nextCursor"]
      @response = @record.response
      freeze
    end

    # Yields each row of this page and of all that follow.
    # @yieldparam row [Record]
    # @return [Enumerator, self]
    def each(&block)
      return to_enum unless block

      pages { |page| page.data.each(&block) }
      self
    end

    # Yields this page and all that follow, or answers an enumerator of them.
    # @yieldparam page [Page]
    # @return [Enumerator, self]
    def pages
      return to_enum(:pages) unless block_given?

      page = self
      while page
        yield page
        page = page.next
      end
      self
    end

    # @return [Boolean] whether there is another page
    def next? = !next_cursor.nil?

    # @return [Page, nil] the next page; nil after the last one
    def next = (Page.new(@sender, @request.at(next_cursor)) if next?)

    # @param name [String, Symbol] a field's name in the API
    # @return [Object, nil] what was answered beside the rows
    def [](name) = @record[name]

    # @return [String]
    def inspect = "#<#{self.class} data=#{data.inspect} next_cursor=#{next_cursor.inspect}>"
    alias to_s inspect
  end
end
