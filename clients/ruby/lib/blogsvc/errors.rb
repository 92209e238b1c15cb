# frozen_string_literal: true

module Blogsvc
  # The base class of all errors of this library.
  class Error < StandardError
    # @return [String, nil] the idempotency key of the request, if it had one; the same request with this key is carried
    #   out only once
    attr_reader :idempotency_key

    # @api private
    attr_writer :idempotency_key
  end

  # An option or argument is missing or invalid: no API key, no URL, plain HTTP, a Date instead of a Time.
  # No request was sent.
  class ConfigurationError < Error; end

  # There was no response. The server may or may not have carried out the request.
  class ConnectionError < Error
    # @param message [String]
    # @param sent [Boolean] see {#sent?}
    def initialize(message = nil, sent: true)
      super(message)
      @sent = sent
    end

    # @return [Boolean] false if there was no connection, so that the server did not carry out the request
    def sent? = @sent

    # @api private
    alias lost? sent?
  end

  # There was no response within the timeout.
  class TimeoutError < ConnectionError; end

  # The post has not finished publishing within the timeout of {Polling#wait}.
  class WaitTimeoutError < Error
    # @return [Record] the last known state of the post
    attr_reader :post

    # @param message [String]
    # @param post [Record]
    def initialize(message = nil, post: nil)
      super(message)
      @post = post
    end
  end

  # The signature of a webhook message is invalid, or its timestamp is outside the tolerance.
  class WebhookSignatureError < Error; end
end
