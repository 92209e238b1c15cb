# frozen_string_literal: true

module Blogsvc
  # The way to a server, with one API key. It holds values alone, no connection: keep it for as long as you like, and
  # share it between threads, fibers and forked processes.
  #
  #     client = Blogsvc::Client.new(api_key: "bsk_...", base_url: "https://blog.example.org")
  class Client
    include Resources

    # @param api_key [String] `bsk_...`; by default `BLOGSVC_API_KEY` of the environment
    # @param base_url [String] the server's address; by default `BLOGSVC_URL` of the environment
    # @param timeout [Numeric] seconds for one attempt: until the connection stands, and until each part of an answer
    #   is there
    # @param max_retries [Integer] how often a request is tried again
    # @param max_retry_wait [Numeric] a server that asks to wait for more seconds is not waited for
    # @param allow_http [Boolean] allow plain HTTP beyond loopback, which shows the key to everybody on the way
    # @param log [#call, Logger, nil] is called with a Hash after every attempt: `method`, `path`, `attempt`, `status`,
    #   `error`, `milliseconds`, `request_id`, `retry_in`; a Logger gets a line at its debug level
    # @raise [ConfigurationError]
    def initialize(api_key: ENV.fetch("BLOGSVC_API_KEY", nil), base_url: ENV.fetch("BLOGSVC_URL", nil), timeout: 60,
                   max_retries: 4, max_retry_wait: 60, allow_http: false, log: nil)
      @options = Options.new(api_key:, base_url:, timeout:, max_retries:, max_retry_wait:, allow_http:, log:)
      @sender = Sender.new(@options)
      freeze
    end

    # The same client with other options.
    #
    # @param options [Hash] as in {#initialize}: `timeout`, `max_retries`, `max_retry_wait`, `allow_http`, `log`
    # @return [Client]
    # @raise [ConfigurationError]
    def with_options(**options) = self.class.new(**@options.to_h, **options)

    # @return [String] its address, and nothing of its key
    def inspect = "#<#{self.class} #{@options.base}>"
    alias to_s inspect

    # A client is not written down, for its key would be.
    # @raise [TypeError]
    def marshal_dump = raise(TypeError, "#{self.class} holds a key, and is not dumped")

    # For YAML.
    # @raise [TypeError]
    def encode_with(_coder) = marshal_dump

    # For Rails, which else would write the instance variables.
    # @return [String]
    def as_json(*) = to_s
  end
end
