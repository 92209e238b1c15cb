# frozen_string_literal: true

module Blogsvc
  # What came with an answer.
  class Response
    # @return [Integer] the HTTP status
    attr_reader :status
    # @return [Hash{String => String}] the headers, their names in small letters
    attr_reader :headers

    # @api private
    def initialize(status, headers)
      @status = status
      @headers = headers.transform_values(&:freeze).freeze
      freeze
    end

    # @return [String, nil] the version that was answered, for `if_match` and `if_none_match`
    def etag = headers["etag"]

    # @return [String, nil] by which the server's log knows the request
    def request_id = headers["x-request-id"]

    # @return [Boolean] whether this is the stored answer to an earlier request with the same idempotency key
    def replayed? = headers["idempotency-replayed"] == "true"

    # @api private
    def marshal_dump = [status, headers]

    # @api private
    def marshal_load(parts) = initialize(*parts)
  end
end
