# frozen_string_literal: true

require_relative "helper"

# Encoding of requests, as the server receives them.
class EncoderTest < ServerTest
  def body_of(**fields)
    server = serve(json("{}"))
    server.client.posts.update("post_1", **fields)
    JSON.parse(server.requests[0].split("\r\n\r\n", 2)[1])
  end

  def test_nil_is_sent_and_omitted_fields_are_not
    assert_equal({ "summary" => nil }, body_of(summary: nil, title: Blogsvc::NOT_GIVEN))
    assert_equal({}, body_of)
  end

  def test_times_are_sent_in_utc
    assert_equal "2030-01-01T07:00:00Z", body_of(scheduled_at: Time.new(2030, 1, 1, 8, 0, 0, "+01:00"))["scheduledAt"]
    assert_equal "2030-01-01T07:00:00.500000Z", body_of(scheduled_at: Time.utc(2030, 1, 1, 7, 0, 0.5))["scheduledAt"]
    assert_equal "2030-01-01T07:00:00Z", body_of(scheduled_at: DateTime.new(2030, 1, 1, 8, 0, 0, "+1"))["scheduledAt"]
  end

  def test_a_record_can_be_sent
    overrides = Blogsvc::Record.new({ "site" => { "title" => "T" } })

    assert_equal({ "overrides" => { "site" => { "title" => "T" } } }, body_of(overrides:))
  end

  def test_invalid_values_are_rejected
    [Date.today, Object.new, Float::NAN, "\xff", "\xff".b].each do |value|
      assert_raises(Blogsvc::ConfigurationError, value.inspect) { body_of(title: value) }
    end
  end

  def test_a_query_repeats_lists_and_omits_nil
    server = serve(json('{"data": [], "nextCursor": null}'))
    server.client.posts.list(
      status: %i[draft scheduled], tag: nil, q: "é &", trashed: false, created_after: Time.utc(2030), limit: 2
    )

    assert_equal(
      [%w[status draft], %w[status scheduled], ["q", "é &"], %w[createdAfter 2030-01-01T00:00:00Z],
       %w[trashed false], %w[limit 2]],
      URI.decode_www_form(server.requests[0][/\?(\S+)/, 1])
    )
  end

  def test_a_query_accepts_dates
    server = serve(json("{}"))
    server.client.analytics.get(from: Date.new(2030, 1, 1))

    assert_includes server.requests[0], "GET /api/v1/analytics?from=2030-01-01 "
  end

  def test_an_id_is_escaped
    server = serve(json("{}"))
    server.client.posts.get("../a b?#+é")

    assert_includes server.requests[0], "GET /api/v1/posts/..%2Fa%20b%3F%23%2B%C3%A9 "
  end

  def test_an_invalid_id_is_rejected
    [nil, "", ".", ".."].each do |id|
      assert_raises(Blogsvc::ConfigurationError) { serve.client.posts.delete(id) }
    end
  end

  def test_a_header_with_a_line_break_is_rejected
    assert_raises(Blogsvc::ConfigurationError) { serve.client.posts.restore("post_1", idempotency_key: "a\r\nHost: b") }
  end
end
