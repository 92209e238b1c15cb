# frozen_string_literal: true

module Blogsvc
  # Everything that this library raises of its own.
  class Error < StandardError; end

  # What was given cannot be sent: no key, no address, plain HTTP, a date where a time is due. Nothing was sent.
  class ConfigurationError < Error; end

  # No answer came. Whether it was done is not known, unless the request was one that is safe to repeat.
  class ConnectionError < Error
    # @param message [String]
    # @param sent [Boolean] whether a connection stood, so that the request may have arrived
    def initialize(message = nil, sent: true)
      super(message)
      @sent = sent
    end

    # @return [Boolean] whether the request may have arrived; false where there was not even a connection
    def sent? = @sent
  end

  # No answer came in time.
  class TimeoutError < ConnectionError; end

  # A post did not settle in the time that {Waiting#wait} was given.
  class WaitTimeoutError < Error
    # @return [Record] the post, as it was answered last
    attr_reader :post

    # @param message [String]
    # @param post [Record]
    def initialize(message = nil, post: nil)
      super(message)
      @post = post
    end
  end

  # A webhook message that is not genuine, or too old.
  class WebhookSignatureError < Error; end
end
