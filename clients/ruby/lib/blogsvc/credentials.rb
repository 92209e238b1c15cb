# frozen_string_literal: true

module Blogsvc
  # Selects the API key and the URL: both as given, or both from the environment. A key is never combined with a URL from
  # another source, which could be that of another server.
  # @api private
  module Credentials
    class << self
      # @return [Array(String, String)]
      # @raise [ConfigurationError]
      def pick(api_key, base_url)
        given = { api_key:, base_url: }.reject { |_, value| NOT_GIVEN.equal?(value) }
        return from_environment if given.empty?

        # nil is an error, since a missing setting must not select the server of the environment.
        given.each { |name, value| invalid "#{name} must be a String, not #{value.class}." unless value.is_a?(String) }
        unless given.key?(:base_url)
          invalid "Pass base_url together with api_key. BLOGSVC_URL is used only without api_key."
        end
        unless given.key?(:api_key)
          invalid "Pass api_key together with base_url. BLOGSVC_API_KEY is used only without base_url."
        end
        given.values_at(:api_key, :base_url)
      end

      private

      def from_environment
        found = %w[BLOGSVC_API_KEY BLOGSVC_URL].map { |name| ENV.fetch(name, "").strip }
        case found.map(&:empty?)
        when [false, false] then found
        when [false, true]
          invalid "BLOGSVC_API_KEY is set, but BLOGSVC_URL is not. Set BLOGSVC_URL to the URL of the server, for " \
                  "example https://blog.example.org."
        when [true, false]
          invalid "BLOGSVC_URL is set, but BLOGSVC_API_KEY is not. Set BLOGSVC_API_KEY to an API key of this server."
        else
          invalid "No API key and no URL. Pass api_key and base_url, or set BLOGSVC_API_KEY and BLOGSVC_URL."
        end
      end

      def invalid(message) = raise(ConfigurationError, message)
    end
  end
  private_constant :Credentials
end
