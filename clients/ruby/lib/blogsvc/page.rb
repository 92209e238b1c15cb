# frozen_string_literal: true

module Blogsvc
  # A page of a list. Iterating over it yields the rows of this page and of all following pages, each fetched when it is
  # reached.
  #
  #     client.posts.list(tag: "ink").each { |post| puts post.title }
  #     client.posts.list(sort: "-publishedAt").lazy.select(&:url).first(3)
  class Page
    include Enumerable

    # @return [Array<Record>] the rows of this page
    attr_reader :data
    # @return [String, nil] the cursor of the next page; nil on the last page
    attr_reader :next_cursor
    # @return [Response] status, headers and request id
    attr_reader :response

    # @api private
    def initialize(requestor, request)
      @requestor = requestor
      @request = request
      @record = requestor.call(request)
      @data = @record["data"]
      @next_cursor = @record["nextCursor"]
      @response = @record.response
      freeze
    end

    # Yields the rows of this page and of all following pages.
    # @yieldparam row [Record]
    # @return [Enumerator, self]
    def each(&block)
      return to_enum unless block

      pages { |page| page.data.each(&block) }
      self
    end

    # Yields this page and all following pages, or returns an enumerator of them.
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

    # @return [Page, nil] the next page; nil on the last page
    def next = (Page.new(@requestor, @request.with_cursor(next_cursor)) if next?)

    # @param name [String, Symbol] a field's name in the API
    # @return [Object, nil] a field of the response
    def [](name) = @record[name]

    # @return [String]
    def inspect = "#<#{self.class} data=#{data.inspect} next_cursor=#{next_cursor.inspect}>"
    alias to_s inspect
  end
end
