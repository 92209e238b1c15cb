# frozen_string_literal: true

module Blogsvc
  # Validated options of a client. Raises ConfigurationError if one is invalid.
  # @api private
  class Options
    LOOPBACK = /\A(?:localhost|127(?:\.\d{1,3}){3}|::1)\z/i
    private_constant :LOOPBACK

    attr_reader :base, :timeout, :max_retries, :max_retry_wait, :retry_for, :allow_http, :log

    def initialize(api_key:, base_url:, timeout:, max_retries:, max_retry_wait:, retry_for:, allow_http:, log:)
      # Kept in a closure, since inspection and serializers show instance variables.
      @api_key = -> { api_key }
      @base_url = base_url
      @timeout = timeout
      @max_retries = max_retries
      @max_retry_wait = max_retry_wait
      @retry_for = retry_for
      @allow_http = allow_http
      @log = log
      check_key
      check_numbers
      check_log
      @base = normalized_base
      freeze
    end

    def authorization = "Bearer #{@api_key.call}"

    # Returns the options as arguments for a new client.
    def to_h
      {
        api_key: @api_key.call, base_url: @base_url, timeout:, max_retries:, max_retry_wait:, retry_for:, allow_http:,
        log:
      }
    end

    private

    # No message shows the API key or the URL: they may be swapped, and the URL may contain a password.
    def check_key
      key = @api_key.call
      invalid "api_key is a URL. Pass the API key first, then the URL." if key.include?("://")
      return if /\A[!-~]+\z/.match?(key)

      invalid "The API key is empty or contains an invalid character, such as a space."
    end

    def check_numbers
      invalid "timeout must be a number of seconds greater than 0." unless number?(timeout) && timeout.positive?
      invalid "max_retries must be an integer of 0 or more." unless max_retries.is_a?(Integer) && number?(max_retries)
      invalid "max_retry_wait must be a number of seconds of 0 or more." unless number?(max_retry_wait)
      invalid "retry_for must be a number of seconds of 0 or more." unless number?(retry_for)
    end

    def check_log
      return if log.nil? || log.respond_to?(:call) || log.respond_to?(:debug)

      invalid "log must respond to call, or be a Logger."
    end

    def number?(value) = value.is_a?(Numeric) && value.real? && value >= 0

    # Returns the URL of the API, to which paths are appended.
    def normalized_base
      invalid "base_url is an API key. Pass the API key first, then the URL." if @base_url.start_with?("bsk_")
      uri = parsed_base
      unless allow_http || uri.is_a?(URI::HTTPS) || LOOPBACK.match?(uri.hostname)
        invalid "base_url uses plain HTTP, which sends the API key unencrypted. Use https, or pass allow_http: true."
      end
      uri.path = "#{uri.path.sub(%r{/+\z}, "").delete_suffix("/api/v1")}/api/v1"
      uri.freeze
    end

    def parsed_base
      uri = URI.parse(@base_url)
      invalid "base_url must start with https:// and a host." unless uri.is_a?(URI::HTTP) && !uri.hostname.to_s.empty?
      invalid "base_url must not have a user name, query or fragment." if uri.userinfo || uri.query || uri.fragment
      uri
    rescue URI::InvalidURIError
      invalid "base_url is not a valid URL."
    end

    # Without the cause, whose message shows the URL.
    def invalid(message) = raise(ConfigurationError, message, cause: nil)
  end
  private_constant :Options
end
