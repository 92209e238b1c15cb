# frozen_string_literal: true

module Blogsvc
  # Verifies webhook messages by the Standard Webhooks specification (https://www.standardwebhooks.com).
  #
  #     message = Blogsvc::Webhook.new("whsec_...").verify(request.raw_post, request.headers)
  class Webhook
    # The maximum difference between the timestamp and the current time, in seconds.
    TOLERANCE = 300
    HEADERS = %w[webhook-id webhook-timestamp webhook-signature].freeze
    private_constant :TOLERANCE, :HEADERS

    # @param secrets [String, Array<String>] the signing secret (`whsec_...`); several while you rotate it
    # @raise [ConfigurationError] if a secret is missing or invalid
    def initialize(secrets)
      keys = Array(secrets).map { |secret| decode_secret(secret) }
      raise ConfigurationError, "No secret. Pass the signing secret of the webhook." if keys.empty?

      # Kept in a closure, since inspection shows instance variables.
      @keys = -> { keys }
      freeze
    end

    # Verifies a message and returns it. A message may be delivered more than once: use its `webhook-id` to detect
    # duplicates.
    #
    # @param body [String] the raw request body; do not parse it first
    # @param headers [Hash, #each] the request headers with names in any case, or the Rack environment
    # @param now [Time, Numeric] default: the current time
    # @return [Record] the message: `type`, `timestamp` and `data`
    # @raise [WebhookSignatureError] if the signature is invalid, or the timestamp is more than five minutes off
    def verify(body, headers, now: Time.now)
      id, timestamp, signatures = HEADERS.map { |name| header(headers, name) }
      check_timestamp(timestamp, now)
      check_signature("#{id}.#{timestamp}.".b << body.b, signatures)
      parse(body)
    end

    # @return [String]
    def inspect = "#<#{self.class}>"
    alias to_s inspect

    private

    def decode_secret(secret)
      text = secret.to_s
      key = text.delete_prefix("whsec_").unpack1("m0") if text.start_with?("whsec_")
      raise ConfigurationError, "A webhook secret must be whsec_ followed by Base64." if key.to_s.empty?

      key
    rescue ArgumentError
      raise ConfigurationError, "A webhook secret must be whsec_ followed by Base64."
    end

    # Rack names the headers HTTP_WEBHOOK_ID, and the values of Net::HTTP are lists.
    def header(headers, wanted)
      _, value = headers.find { |name, _| name.to_s.downcase.tr("_", "-").delete_prefix("http-") == wanted }
      reject "The header #{wanted} is missing." unless value
      Array(value).join(" ")
    end

    def check_timestamp(timestamp, now)
      reject "The header webhook-timestamp is not a Unix time." unless timestamp.match?(/\A\d{1,12}\z/)
      return if (now.to_i - timestamp.to_i).abs <= TOLERANCE

      reject "The timestamp is more than five minutes off. The message may be a replay, or a clock may be wrong."
    end

    def check_signature(content, signatures)
      expected = @keys.call.map { |key| "v1,#{[OpenSSL::HMAC.digest("SHA256", key, content)].pack("m0")}" }
      return if signatures.split.product(expected).any? { |given, one| OpenSSL.secure_compare(given, one) }

      reject "No signature matches this secret."
    end

    def parse(body)
      parsed = JSON.parse(body.dup.force_encoding(Encoding::UTF_8))
      parsed.is_a?(Hash) ? Record.new(parsed) : reject("The message is not a JSON object.")
    rescue JSON::ParserError
      reject "The message is not JSON."
    end

    def reject(message) = raise(WebhookSignatureError, message)
  end
end
