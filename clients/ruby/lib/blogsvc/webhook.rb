# frozen_string_literal: true

module Blogsvc
  # Tells genuine messages of a webhook from others, by the Standard Webhooks specification.
  #
  #     message = Blogsvc::Webhook.new("whsec_...").verify(request.raw_post, request.headers)
  class Webhook
    # Seconds that a message may be old, or ahead of this clock.
    TOLERANCE = 300
    HEADERS = %w[webhook-id webhook-timestamp webhook-signature].freeze
    private_constant :TOLERANCE, :HEADERS

    # @param secrets [String, Array<String>] `whsec_...`; several for the time of a rotation
    # @raise [ConfigurationError]
    def initialize(secrets)
      keys = Array(secrets).map { |secret| key_of(secret) }
      raise ConfigurationError, "Give the secret of the webhook." if keys.empty?

      # In a closure they are in no instance variable, which inspection would show.
      @keys = -> { keys }
      freeze
    end

    # @param body [String] the bytes as they came
    # @param headers [Hash, #each] the request's headers, in any case, or Rack's environment
    # @param now [Time, Numeric] the time that the message is held against
    # @return [Record] the message: `type`, `timestamp` and `data`
    # @raise [WebhookSignatureError] where it is not genuine, or older or newer than five minutes
    def verify(body, headers, now: Time.now)
      id, timestamp, signatures = values(headers)
      refuse "It lacks a header: #{HEADERS.join(", ")}." unless id && timestamp && signatures

      check_time(timestamp, now)
      check_signature("#{id}.#{timestamp}.".b << body.b, signatures)
      message(body)
    end

    # @return [String]
    def inspect = "#<#{self.class}>"
    alias to_s inspect

    private

    def key_of(secret)
      text = secret.to_s
      key = text.delete_prefix("whsec_").unpack1("m0") if text.start_with?("whsec_")
      raise ConfigurationError, "The secret of a webhook is whsec_ and Base64." if key.to_s.empty?

      key
    rescue ArgumentError
      raise ConfigurationError, "The secret of a webhook is whsec_ and Base64."
    end

    # Rack writes HTTP_WEBHOOK_ID, and Net::HTTP has lists of values.
    def values(headers)
      HEADERS.map do |wanted|
        _, value = headers.find { |name, _| name.to_s.downcase.tr("_", "-").delete_prefix("http-") == wanted }
        value && Array(value).join(" ")
      end
    end

    def check_time(timestamp, now)
      refuse "Its time is none." unless timestamp.match?(/\A\d{1,12}\z/)
      age = now.to_i - timestamp.to_i
      refuse "It is older than five minutes." if age > TOLERANCE
      refuse "It is of the future." if age < -TOLERANCE
    end

    def check_signature(content, signatures)
      ours = @keys.call.map { |key| "v1,#{[OpenSSL::HMAC.digest("SHA256", key, content)].pack("m0")}" }
      return if signatures.split.product(ours).any? { |theirs, one| OpenSSL.secure_compare(theirs, one) }

      refuse "None of its signatures is ours."
    end

    def message(body)
      parsed = JSON.parse(body.dup.force_encoding(Encoding::UTF_8))
      parsed.is_a?(Hash) ? Record.new(parsed) : refuse("It is no message.")
    rescue JSON::ParserError
      refuse "It is no message."
    end

    def refuse(why) = raise(WebhookSignatureError, why)
  end
end
