# frozen_string_literal: true

module Blogsvc
  # One call, as it is sent, and sent again.
  # @api private
  class Request
    attr_reader :verb, :path, :headers, :body, :wait

    # @param verb [String]
    # @param path [String] from the API's root, its ids as {Values.segment} writes them
    # @param query [Hash]
    # @param body [Hash, Multipart, nil]
    # @param wait [Integer, nil] how many seconds the server may take until the outcome is there
    def initialize(verb, path, query: {}, body: nil, wait: nil, accept: "application/json", **conditions)
      @verb = verb
      @resource = path
      @query = query
      @body = body.is_a?(Hash) ? Values.body(body) : body&.to_s
      @wait = checked_wait(wait)
      @headers = { "Accept" => accept, "Content-Type" => content_type(body), "Prefer" => (wait && "wait=#{wait}") }
      @headers.merge!(condition_headers(**conditions)).compact!
      @path = [path, Values.query(query)].reject(&:empty?).join("?")
    end

    def deletes? = verb == "DELETE"

    # Whether it is for one version of what it changes.
    def conditional? = headers.key?("If-Match")

    # The same for the page that a cursor leads to.
    def at(cursor)
      Request.new(verb, @resource, query: @query.merge(cursor:))
    end

    private

    def content_type(body)
      return body.content_type if body.is_a?(Multipart)

      # net/http would declare an empty body to be a form.
      "application/json" if body || %w[POST PATCH].include?(verb)
    end

    def condition_headers(idempotency_key: nil, if_match: nil, if_none_match: nil, last_event_id: nil)
      idempotency_key ||= SecureRandom.uuid if verb == "POST"
      {
        "Idempotency-Key" => idempotency_key, "If-Match" => if_match, "If-None-Match" => if_none_match,
        "Last-Event-ID" => last_event_id
      }.transform_values { |value| value && header(value) }
    end

    def header(value)
      text = value.to_s
      raise ConfigurationError, "#{text.inspect} is no value for a header." if text.match?(/[\x00-\x1f\x7f]/)

      text
    end

    def checked_wait(seconds)
      return seconds if seconds.nil? || (seconds.is_a?(Integer) && (1..30).cover?(seconds))

      raise ConfigurationError, "wait is a whole number of seconds, 1 to 30."
    end
  end
  private_constant :Request
end
