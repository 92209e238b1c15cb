# frozen_string_literal: true

module Blogsvc
  # The server answered, and its answer is an error. The classes below it say which; another status is this itself.
  class APIError < Error
    # @return [Response] status, headers and request id
    attr_reader :response
    # @return [Record] the problem document (RFC 9457), without fields where the answer was none
    attr_reader :problem
    # @return [String, nil] what to do about it
    attr_reader :detail
    # @return [Numeric, nil] how many seconds to wait before asking again
    attr_reader :retry_after

    # @param response [Response]
    # @param problem [Record]
    # @param detail [String, nil] in the place of the problem's own
    # @param retry_after [Numeric, nil]
    def initialize(response, problem: Record.new({}), detail: problem["detail"], retry_after: nil)
      @response = response
      @problem = problem
      @detail = detail
      @retry_after = retry_after
      super(in_words)
    end

    # @return [Integer] the HTTP status
    def status = response.status

    # @return [Hash{String => String}] the answer's headers, their names in small letters
    def headers = response.headers

    # @return [String, nil] by which the server's log knows the request
    def request_id = response.request_id

    # @return [String, nil] the address of a page about this type of problem
    def type = problem["type"]

    # @return [String, nil] the end of {#type}: `state-conflict`, `invalid`
    def slug = type&.slice(%r{[^/]+\z})

    # @return [String, nil]
    def title = problem["title"]

    # @return [Array<Record>] what is wrong where: `pointer` or `parameter`, `code`, `detail`, and where a platform's
    #   rule stands in the way `platform`, `rule` and `remediation`
    def errors
      found = problem["errors"]
      found.is_a?(Array) ? found : []
    end

    private

    def in_words
      faults = errors.map { |fault| "#{fault["pointer"] || fault["parameter"]}: #{fault["detail"]}" }
      kind = [status, slug].compact.join(" ")
      source = request_id ? "#{kind}, request #{request_id}" : kind
      # Where there are faults, the detail is what they say.
      said = faults.empty? ? [detail || title || "The server answered #{status}."] : faults
      [*said, "(#{source})"].join(" ")
    end
  end

  # 400: the request cannot be read.
  class BadRequestError < APIError; end

  # 401: the key is missing, mistyped, unknown, expired or revoked.
  class AuthenticationError < APIError; end

  # 403: the key may not do this.
  class PermissionDeniedError < APIError; end

  # 404: there is no such thing, or not any more.
  class NotFoundError < APIError; end

  # 409: its state does not allow this.
  class ConflictError < APIError
    # @return [String, nil] where it stands
    def state = problem["state"]

    # @return [Array<String>, nil] the moves from there
    def allowed = problem["allowed"]
  end

  # 412: it was changed since `if_match` was read.
  class PreconditionFailedError < APIError; end

  # 422: something in the request must be changed; `errors` says where, what and how.
  class InvalidError < APIError; end

  # 429: too many requests.
  class RateLimitError < APIError
    # @return [String, nil] which limit it is: `read`, `write` or `publish`
    def tier = problem["tier"]

    # @return [Integer, nil] how many requests a minute it allows
    def limit = problem["limit"]
  end

  # 500 and above: something went wrong there.
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
