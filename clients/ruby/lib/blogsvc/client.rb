# frozen_string_literal: true

module Blogsvc
  # A client of the blogsvc API. It has no open connection and no mutable state: share it between threads, fibers and
  # forked processes.
  #
  #     client = Blogsvc::Client.new("bsk_...", "https://blog.example.org")
  #     client = Blogsvc::Client.new(api_key: "bsk_...", base_url: "https://blog.example.org", timeout: 10)
  class Client
    include Resources

    # Pass both the API key and the URL, in order or by name, or neither: without both, the environment variables
    # `BLOGSVC_API_KEY` and `BLOGSVC_URL` are used. They are not combined with what is given.
    #
    # @param key_and_url [Array<String>] the API key and the URL, in place of `api_key` and `base_url`
    # @param api_key [String] the API key (`bsk_...`)
    # @param base_url [String] the URL of the server that the key belongs to
    # @param timeout [Numeric] timeout of one attempt in seconds, for connecting and for each read of the response
    # @param max_retries [Integer] maximum number of retries of a request
    # @param max_retry_wait [Numeric] seconds; if the server asks to wait longer, the request fails without a retry
    # @param retry_for [Numeric] seconds for which a request is retried beyond `max_retries`; set 60 to keep trying
    #   while the server restarts
    # @param allow_http [Boolean] allow plain HTTP to other machines, which sends the API key unencrypted
    # @param log [#call, Logger, nil] called after every attempt with a Hash: `method`, `path`, `attempt`, `status`,
    #   `error`, `milliseconds`, `request_id`, `retry_in`; a Logger gets a line at level debug
    # @raise [ConfigurationError]
    # @raise [ArgumentError] if the key or the URL is given twice
    def initialize(*key_and_url, api_key: NOT_GIVEN, base_url: NOT_GIVEN, timeout: 60, max_retries: 4,
                   max_retry_wait: 60, retry_for: 0, allow_http: false, log: nil)
      raise ArgumentError, "Pass at most the API key and the URL in order." if key_and_url.length > 2

      api_key, base_url = Credentials.pick(
        pick("api_key", api_key, key_and_url.first(1)), pick("base_url", base_url, key_and_url.drop(1))
      )
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
    # @raise [ArgumentError] for a key or a URL: a key is only sent to the URL that it was given with
    def with_options(**options)
      if options.key?(:api_key) || options.key?(:base_url)
        raise ArgumentError, "with_options accepts no api_key and no base_url. Create a new client for another server."
      end

      self.class.new(**@options.to_h, **options)
    end

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

    private

    # Returns a value that was given by name or in order, or NOT_GIVEN.
    def pick(name, named, ordered)
      return ordered.fetch(0, NOT_GIVEN) if NOT_GIVEN.equal?(named)
      raise ArgumentError, "Pass #{name} once: in order or by name." unless ordered.empty?

      named
    end
  end
end
