# frozen_string_literal: true

module Blogsvc
  # The status and headers of an HTTP response.
  class Response
    # @return [Integer] the HTTP status
    attr_reader :status
    # @return [Hash{String => String}] the headers, by lowercase name
    attr_reader :headers

    # @api private
    def initialize(status, headers)
      @status = status
      @headers = headers.transform_values(&:freeze).freeze
      freeze
    end

    # @return [String, nil] the ETag of the resource, for `if_match` and `if_none_match`
    def etag = headers["etag"]

    # @return [String, nil] the id of the request in the server's log
    def request_id = headers["x-request-id"]

    # @return [Boolean] whether this is the stored response to an earlier request with the same idempotency key
    def replayed? = headers["idempotency-replayed"] == "true"

    # @api private
    def marshal_dump = [status, headers]

    # @api private
    def marshal_load(parts) = initialize(*parts)
  end
end
