# frozen_string_literal: true

module Blogsvc
  # A request to the API. Every attempt sends the same request.
  # @api private
  class Request
    attr_reader :verb, :path, :headers, :body, :wait

    # @param verb [String]
    # @param path [String] relative to the API; ids are encoded with {Encoder.segment}
    # @param query [Hash]
    # @param body [Hash, Multipart, nil]
    # @param wait [Integer, nil] seconds the server may wait before it responds
    # @param dry_run [Boolean, nil] true returns the response, and changes nothing
    def initialize(verb, path, query: {}, body: nil, wait: nil, dry_run: nil, accept: "application/json", **conditions)
      @verb = verb
      @resource = path
      @query = query = dry_run.nil? ? query : query.merge(dryRun: dry_run)
      @body = body.is_a?(Hash) ? Encoder.body(body) : body&.to_s
      @wait = checked_wait(wait)
      @headers = { "Accept" => accept, "Content-Type" => content_type(body), "Prefer" => (wait && "wait=#{wait}") }
      @headers.merge!(condition_headers(**conditions)).compact!
      @path = [path, Encoder.query(query)].reject(&:empty?).join("?")
    end

    def delete? = verb == "DELETE"

    def idempotency_key = headers["Idempotency-Key"]

    def if_match? = headers.key?("If-Match")

    # Returns the request for another page.
    def with_cursor(cursor)
      Request.new(verb, @resource, query: @query.merge(cursor:))
    end

    private

    def content_type(body)
      return body.content_type if body.is_a?(Multipart)

      # Without it, net/http sends the content type of a form.
      "application/json" if body || %w[POST PUT PATCH].include?(verb)
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
      raise ConfigurationError, "#{text.inspect} is not a valid header value." if text.match?(/[\x00-\x1f\x7f]/)

      text
    end

    def checked_wait(seconds)
      return seconds if seconds.nil? || (seconds.is_a?(Integer) && (1..30).cover?(seconds))

      raise ConfigurationError, "wait must be an integer of 1 to 30 seconds."
    end
  end
  private_constant :Request
end
