# frozen_string_literal: true

module Blogsvc
  # A client of the blogsvc API. It has no open connection and no mutable state: share it between threads, fibers and
  # forked processes.
  #
  #     client = Blogsvc::Client.new(api_key: "bsk_...", base_url: "https://blog.example.org")
  class Client
    include Resources

    # @param api_key [String] the API key (`bsk_...`); default: the environment variable `BLOGSVC_API_KEY`
    # @param base_url [String] the URL of the server; default: the environment variable `BLOGSVC_URL`
    # @param timeout [Numeric] timeout of one attempt in seconds, for connecting and for each read of the response
    # @param max_retries [Integer] maximum number of retries of a request
    # @param max_retry_wait [Numeric] seconds; if the server asks to wait longer, the request fails without a retry
    # @param retry_for [Numeric] seconds for which a request is retried beyond `max_retries`; set 60 to keep trying
    #   while the server restarts
    # @param allow_http [Boolean] allow plain HTTP to other machines, which sends the API key unencrypted
    # @param log [#call, Logger, nil] called after every attempt with a Hash: `method`, `path`, `attempt`, `status`,
    #   `error`, `milliseconds`, `request_id`, `retry_in`; a Logger gets a line at level debug
    # @raise [ConfigurationError]
    def initialize(api_key: ENV.fetch("BLOGSVC_API_KEY", nil), base_url: ENV.fetch("BLOGSVC_URL", nil), timeout: 60,
                   max_retries: 4, max_retry_wait: 60, retry_for: 0, allow_http: false, log: nil)
      @options = Options.new(
        api_key:, base_url:, timeout:, max_retries:, max_retry_wait:, retry_for:, allow_http:, log:
      )
      @requestor = Requestor.new(@options)
      freeze
    end

    # Returns a copy of this client with other options.
    #
    # @param options [Hash] see {#initialize}: `timeout`, `max_retries`, `max_retry_wait`, `retry_for`, `allow_http`,
    #   `log`
    # @return [Client]
    # @raise [ConfigurationError]
    def with_options(**options) = self.class.new(**@options.to_h, **options)

    # @return [String] the URL, without the API key
    def inspect = "#<#{self.class} #{@options.base}>"
    alias to_s inspect

    # Prevents dumps, which would contain the API key.
    # @raise [TypeError]
    def marshal_dump = raise(TypeError, "#{self.class} cannot be dumped, since it contains the API key")

    # Prevents YAML dumps.
    # @raise [TypeError]
    def encode_with(_coder) = marshal_dump

    # Rails would otherwise serialize the instance variables.
    # @return [String]
    def as_json(*) = to_s
  end
end
