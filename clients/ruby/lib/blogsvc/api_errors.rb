# frozen_string_literal: true

module Blogsvc
  # The API returned an error, or a response that cannot be decoded. Common statuses have their own subclass.
  class APIError < Error
    # @return [Response] status, headers and request id
    attr_reader :response
    # @return [Record] the problem document (RFC 9457), without fields if the response is not one
    attr_reader :problem
    # @return [String, nil] what went wrong with this request, and how to fix it
    attr_reader :detail
    # @return [Numeric, nil] seconds to wait before a retry, if the server sent them
    attr_reader :retry_after

    # @param response [Response]
    # @param problem [Record]
    # @param detail [String, nil] overrides the detail of the problem
    # @param retry_after [Numeric, nil]
    def initialize(response, problem: Record.new({}), detail: problem["detail"], retry_after: nil)
      @response = response
      @problem = problem
      @detail = detail
      @retry_after = retry_after
      super(build_message)
    end

    # @return [Integer] the HTTP status
    def status = response.status

    # @return [Hash{String => String}] the response headers, by lowercase name
    def headers = response.headers

    # @return [String, nil] the id of the request in the server's log
    def request_id = response.request_id

    # @return [String, nil] the URL of the page that documents this problem type
    def type = problem["type"]

    # @return [String, nil] the last part of {#type}, which identifies the problem type: `state-conflict`, `invalid`
    def slug = type&.slice(%r{[^/]+\z})

    # @return [String, nil] a short summary of the problem type
    def title = problem["title"]

    # @return [Array<Record>] the problem of each invalid field: `pointer` or `parameter`, `code` and `detail`; if it
    #   violates a rule of a platform, also `platform`, `rule` and `remediation`
    def errors
      found = problem["errors"]
      found.is_a?(Array) ? found : []
    end

    private

    def build_message
      # The detail only summarizes the field errors, so it is left out if there are any.
      messages = errors.map { |error| "#{error["pointer"] || error["parameter"]}: #{error["detail"]}" }
      messages = [detail || title || "The request failed."] if messages.empty?
      kind = [status, slug].compact.join(" ")
      source = request_id ? "#{kind}, request #{request_id}" : kind
      [*messages, "(#{source})"].join(" ")
    end
  end

  # 400: the server could not parse the request.
  class BadRequestError < APIError; end

  # 401: the key is missing, mistyped, unknown, expired or revoked.
  class AuthenticationError < APIError; end

  # 403: the key lacks the required scope.
  class PermissionDeniedError < APIError; end

  # 404: the resource does not exist, or no longer exists.
  class NotFoundError < APIError; end

  # 409: the state of the resource does not allow the operation.
  class ConflictError < APIError
    # @return [String, nil] the current state of the resource
    def state = problem["state"]

    # @return [Array<String>, nil] the transitions that the current state allows
    def allowed = problem["allowed"]
  end

  # 412: the resource has changed since `if_match`.
  class PreconditionFailedError < APIError; end

  # 422: the request is invalid. `errors` lists every problem.
  class InvalidError < APIError; end

  # 429: too many requests.
  class RateLimitError < APIError
    # @return [String, nil] the exceeded limit: `read`, `write` or `publish`
    def tier = problem["tier"]

    # @return [Integer, nil] the limit in requests per minute
    def limit = problem["limit"]
  end

  # 500 and above: the server, or a platform that it called, failed.
  class ServerError < APIError; end

  ERRORS_BY_STATUS = {
    400 => BadRequestError,
    401 => AuthenticationError,
    403 => PermissionDeniedError,
    404 => NotFoundError,
    409 => ConflictError,
    412 => PreconditionFailedError,
    422 => InvalidError,
    429 => RateLimitError
  }.tap { |known| known.default_proc = ->(_, status) { status >= 500 ? ServerError : APIError } }.freeze
  private_constant :ERRORS_BY_STATUS
end
