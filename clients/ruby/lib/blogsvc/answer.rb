# frozen_string_literal: true

module Blogsvc
  # An answer as it came in, and what it says.
  # @api private
  class Answer
    attr_reader :response

    # @param body [String] its bytes
    def initialize(response, body)
      @response = response
      @body = body.dup.force_encoding(Encoding::UTF_8)
    end

    def status = response.status

    # Whether the server may say otherwise when it is asked once more.
    def passing? = [429, 503].include?(status) || (status == 409 && error.slug == "request-in-progress")

    # The document, or nil where there is none: nothing to say, or nothing new.
    # Raises APIError where it is an error, and where it is no JSON.
    def record
      return if [204, 304].include?(status)
      raise error unless (200..299).cover?(status)

      document || raise(APIError.new(response, detail: "An answer in JSON was due, and #{content_type} came."))
    end

    def error
      detail = problem["detail"] || without_problem
      ERRORS_BY_STATUS[status].new(response, problem:, detail:, retry_after:)
    end

    # How many seconds to wait before asking again, where the server says so.
    def retry_after
      case text = response.headers["retry-after"]
      when nil then nil
      when /\A\d+\z/ then text.to_i
      else [Time.httpdate(text) - Time.now, 0].max
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

    def content_type = response.headers.fetch("content-type", "something without a type")

    def without_problem
      location = response.headers["location"]
      location ? "The answer is a redirect to #{location}, which is not followed." : "The answer is #{content_type}."
    end
  end
  private_constant :Answer
end
