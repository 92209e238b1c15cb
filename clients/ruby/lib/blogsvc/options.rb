# frozen_string_literal: true

module Blogsvc
  # What a client is made of. Raises ConfigurationError where that will not do.
  # @api private
  class Options
    LOOPBACK = /\A(?:localhost|127(?:\.\d{1,3}){3}|::1)\z/i
    private_constant :LOOPBACK

    attr_reader :base, :timeout, :max_retries, :max_retry_wait, :allow_http, :log

    def initialize(api_key:, base_url:, timeout:, max_retries:, max_retry_wait:, allow_http:, log:)
      # In a closure it is in no instance variable, which inspection and serializers would show.
      @api_key = -> { api_key }
      @base_url = base_url
      @timeout = timeout
      @max_retries = max_retries
      @max_retry_wait = max_retry_wait
      @allow_http = allow_http
      @log = log
      check_key
      check_numbers
      check_log
      @base = checked_base
      freeze
    end

    def authorization = "Bearer #{@api_key.call}"

    # What the same options are made of.
    def to_h
      {
        api_key: @api_key.call, base_url: @base_url, timeout:, max_retries:, max_retry_wait:, allow_http:, log:
      }
    end

    private

    def check_key
      key = @api_key.call
      refuse "Give an API key: api_key, or BLOGSVC_API_KEY in the environment." if key.to_s.empty?
      refuse "The API key holds what no key does, such as a space or a line break." unless /\A[!-~]+\z/.match?(key)
    end

    def check_numbers
      refuse "timeout is a number of seconds above 0." unless number?(timeout) && timeout.positive?
      refuse "max_retries is a whole number, 0 or more." unless max_retries.is_a?(Integer) && number?(max_retries)
      refuse "max_retry_wait is a number of seconds, 0 or more." unless number?(max_retry_wait)
    end

    def check_log
      return if log.nil? || log.respond_to?(:call) || log.respond_to?(:debug)

      refuse "log is called with an entry after every attempt, or is a Logger."
    end

    def number?(value) = value.is_a?(Numeric) && value.real? && value >= 0

    # The address that every path goes on from, as a URI.
    def checked_base
      refuse "Give the server's address: base_url, or BLOGSVC_URL in the environment." if @base_url.to_s.empty?
      uri = parsed_base
      unless allow_http || uri.is_a?(URI::HTTPS) || LOOPBACK.match?(uri.hostname)
        refuse "Plain HTTP would show the key to everybody on the way: use https, or allow_http if you must."
      end
      uri.path = "#{uri.path.sub(%r{/+\z}, "").delete_suffix("/api/v1")}/api/v1"
      uri.freeze
    end

    def parsed_base
      uri = URI.parse(@base_url.to_s)
      refuse "The address begins with https:// and a host." unless uri.is_a?(URI::HTTP) && !uri.hostname.to_s.empty?
      refuse "The address has no user, query or fragment." if uri.userinfo || uri.query || uri.fragment
      uri
    rescue URI::InvalidURIError
      refuse "The address is none."
    end

    def refuse(why) = raise(ConfigurationError, why)
  end
  private_constant :Options
end
