# frozen_string_literal: true

require_relative "helper"

class WebhookTest < Minitest::Test
  SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
  BODY = '{"type":"post.published","timestamp":"2026-11-24T09:00:00Z","data":{"post":{"title":"Grüße"}}}'
  HEADERS = {
    "webhook-id" => "msg_1", "webhook-timestamp" => "1795510800",
    "webhook-signature" => "v1,cIQCZ0DmWpufjFNwyzhFnw7OyNbb+t+F8psnLRyPNmw="
  }.freeze
  NOW = Time.at(1_795_510_800)

  def test_headers_of_different_frameworks_are_accepted
    rack = HEADERS.transform_keys { |name| "HTTP_#{name.upcase.tr("-", "_")}" }.merge("rack.input" => $stdin)
    [HEADERS, rack, HEADERS.transform_values { |value| [value] }, HEADERS.transform_keys(&:to_sym)].each do |headers|
      message = Blogsvc::Webhook.new(SECRET).verify(BODY.b, headers, now: NOW)

      assert_equal "Grüße", message.data.post.title
      assert_equal NOW, message.timestamp
    end
  end

  def test_an_old_message_is_rejected
    assert_raises(Blogsvc::WebhookSignatureError) { Blogsvc::Webhook.new(SECRET).verify(BODY, HEADERS) }
  end

  def test_an_invalid_secret_is_rejected
    [nil, [], "", "whsec_", "C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "whsec_!"].each do |secret|
      assert_raises(Blogsvc::ConfigurationError, secret.inspect) { Blogsvc::Webhook.new(secret) }
    end
  end

  def test_inspect_does_not_show_the_secret
    refute_includes Blogsvc::Webhook.new(SECRET).inspect, "C2FV"
  end
end
