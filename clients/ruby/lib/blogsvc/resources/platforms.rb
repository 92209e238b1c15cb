# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # What can be connected, and what is. Secrets go in, and never come out.
    #
    # The fields of its answers:
    #
    # - Platforms: `connected`, `available`
    # - Connection: `name`, `connector`, `label`, `kind`, `account`, `account_url`, `health`, `last_error`, `settings`,
    #   `verified_at`, `created_at`
    # - Connector: `key`, `label`, `kind`, `docs`, `fields`, `options`, `limits`, `carries`, `abilities`, `caveats`,
    #   `once`
    # - Field: `name`, `label`, `help`, `secret`, `required`, `default`, `choices`
    # - Option: `name`, `label`, `help`, `default`, `choices`
    # - Limit: `part`, `most`, `unit`
    # - Connected: `name`, `connector`, `label`, `kind`, `account`, `account_url`, `health`, `last_error`, `settings`,
    #   `verified_at`, `created_at`, `generated`
    class Platforms < Resource
      # What is connected, and what can be.
      #
      # `connected` are the names that a post's `platforms` may hold; `available` is what else can be connected.
      #
      # It needs the scope `platforms:read`.
      #
      # @return [Record] a Platforms
      # @raise [APIError] among others {PermissionDeniedError}, {RateLimitError}
      def list
        call("GET", "/platforms")
      end

      # Connect an account, once its platform says whom it speaks for.
      #
      # It needs the scope `platforms:write`.
      #
      # @param connector [String]
      # @param name [String, nil]
      # @param settings [Hash]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Connected
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def connect(connector:, name: NOT_GIVEN, settings: NOT_GIVEN, idempotency_key: nil)
        call("POST", "/platforms", body: { connector:, name:, settings: }, idempotency_key:)
      end

      # Read a connection and its health.
      #
      # It needs the scope `platforms:read`.
      #
      # @param platform [String] its name, as in `GET` of the list
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a Connection
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def get(platform, if_none_match: nil)
        call("GET", "/platforms/#{segment(platform)}", if_none_match:)
      end

      # Give a connection another name or other settings, once its platform accepts them.
      #
      # It needs the scope `platforms:write`.
      #
      # @param platform [String] its name, as in `GET` of the list
      # @param name [String]
      # @param settings [Hash]
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [Record] a Connected
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PreconditionFailedError},
      #   {PermissionDeniedError}, {RateLimitError}
      def update(platform, name: NOT_GIVEN, settings: NOT_GIVEN, if_match: nil)
        call("PATCH", "/platforms/#{segment(platform)}", body: { name:, settings: }, if_match:)
      end

      # Forget an account and its secrets; copies stay there, and what was not sent yet fails.
      #
      # It needs the scope `platforms:write`.
      #
      # @param platform [String] its name, as in `GET` of the list
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [nil]
      # @raise [APIError] among others {NotFoundError}, {PreconditionFailedError}, {PermissionDeniedError},
      #   {RateLimitError}
      def disconnect(platform, if_match: nil)
        call("DELETE", "/platforms/#{segment(platform)}", if_match:)
      end

      # Ask the platform again; what waited for the account goes on.
      #
      # It needs the scope `platforms:write`.
      #
      # @param platform [String] its name, as in `GET` of the list
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Connection
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def verify(platform, idempotency_key: nil)
        call("POST", "/platforms/#{segment(platform)}/verify", idempotency_key:)
      end
    end
  end
end
