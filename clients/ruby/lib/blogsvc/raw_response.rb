# frozen_string_literal: true

module Blogsvc
  # A response with its body, and how to decode it.
  # @api private
  class RawResponse
    attr_reader :response

    # @param body [String] the raw body
    def initialize(response, body)
      @response = response
      @body = body.dup.force_encoding(Encoding::UTF_8)
    end

    def status = response.status

    # Whether the same request may succeed later.
    def retryable? = [429, 503].include?(status) || (status == 409 && error.slug == "request-in-progress")

    # Whether a proxy could not reach the server, or lost its response. The API itself names the problem.
    def lost? = [502, 504].include?(status) && error.slug.nil?

    # Returns the document, or nil if the response is empty or the resource has not changed.
    # Raises APIError if the response is an error or is not a JSON object.
    def record
      return if [204, 304].include?(status)
      raise error unless (200..299).cover?(status)

      document || raise(APIError.new(response, detail: "The response is not JSON: #{content_type}."))
    end

    def error
      detail = problem["detail"] || default_detail
      ERRORS_BY_STATUS[status].new(response, problem:, detail:, retry_after:)
    end

    # Returns the seconds to wait before a retry, if the server sent them.
    def retry_after
      case value = response.headers["retry-after"]
      when nil then nil
      when /\A\d+\z/ then value.to_i
      else [Time.httpdate(value) - Time.now, 0].max
      end
    rescue ArgumentError
      nil
    end

    private

    def problem = document || Record.new({})

    def document
      return unless content_type.match?(%r{\Aapplication/(?:[^;]+\+)?json\b}i)

      parsed = JSON.parse(@body)
      Record.new(parsed, response) if parsed.is_a?(Hash)
    rescue JSON::ParserError
      nil
    end

    def content_type = response.headers.fetch("content-type", "no content type")

    def default_detail
      location = response.headers["location"]
      return "The response is not JSON: #{content_type}." unless location

      "The server redirects to #{location}. Redirects are not followed: set base_url to the address of the API."
    end
  end
  private_constant :RawResponse
end
