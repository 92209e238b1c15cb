# frozen_string_literal: true

require_relative "helper"
require "logger"
require "yaml"

class ClientTest < ServerTest
  BUSY = ScriptedServer.json("{}", status: "503 Busy", headers: "Retry-After: 0\r\n")

  def make(**options) = Blogsvc::Client.new(api_key: "bsk_secret", base_url: "https://blog.example.org", **options)

  def test_the_url_is_normalized
    ["", "/", "/api/v1", "/api/v1/"].each do |ending|
      client = make(base_url: "https://blog.example.org/on#{ending}")

      assert_equal "#<Blogsvc::Client https://blog.example.org/on/api/v1>", client.inspect
    end
  end

  def test_key_and_url_can_be_given_in_order_or_by_name
    url = "https://blog.example.org"
    [make(base_url: url), Blogsvc::Client.new("bsk_secret", url, timeout: 5)].each do |client|
      assert_equal "#<Blogsvc::Client https://blog.example.org/api/v1>", client.inspect
      refute_includes client.instance_variables.map { |name| client.instance_variable_get(name).inspect }.join, "secret"
    end
    assert_raises(ArgumentError) { Blogsvc::Client.new("bsk_secret", url, api_key: "bsk_other") }
    assert_raises(ArgumentError) { Blogsvc::Client.new("bsk_secret", url, base_url: url) }
    assert_raises(ArgumentError) { Blogsvc::Client.new("bsk_secret", url, "more") }
  end

  def test_invalid_options_are_rejected
    [
      { api_key: nil }, { api_key: "" }, { api_key: "bsk é" }, { base_url: nil }, { base_url: "blog.example.org" },
      { base_url: "ftp://blog.example.org" }, { base_url: "https://u:p@blog.example.org" },
      { base_url: "https://blog.example.org/?a" }, { base_url: "http://127.evil.example" }, { base_url: "https://a b" },
      { timeout: 0 }, { max_retries: 1.5 }, { max_retries: -1 }, { max_retry_wait: -1 }, { retry_for: -1 },
      { log: "log.txt" }
    ].each do |options|
      assert_raises(Blogsvc::ConfigurationError, options.inspect) { make(**options) }
    end
  end

  def test_plain_http_is_allowed_for_loopback
    %w[http://localhost:1 http://127.1.2.3 http://[::1]:8080].each { |url| make(base_url: url) }
    make(base_url: "http://blog.example.org", allow_http: true)
  end

  def test_with_options_keeps_the_other_options
    client = serve(BUSY, BUSY, json('{"name": "n"}')).client(max_retries: 0)

    assert_raises(Blogsvc::ServerError) { client.me }
    assert_equal "n", client.with_options(max_retries: 1).me.name
    assert_raises(Blogsvc::ConfigurationError) { client.with_options(timeout: -1) }
  end

  def test_the_api_key_is_never_shown
    client = make
    inside = client.instance_variables.map { |name| client.instance_variable_get(name).inspect }
    texts = [client.inspect, client.to_s, JSON.generate([client]), client.as_json, *inside, *capture_io { pp client }]

    refute_includes texts.join, "secret"
    assert_raises(TypeError) { Marshal.dump(client) }
    assert_raises(TypeError) { YAML.dump(client) }
  end

  def test_threads_can_share_a_client
    client = serve(*Array.new(12) { |number| json(%({"number": #{number}})) }).client
    numbers = Array.new(4) { Thread.new { Array.new(3) { client.me.number } } }.flat_map(&:value)

    assert_equal (0..11).to_a, numbers.sort
  end

  def test_the_log_callback_gets_every_attempt
    entries = []
    server = serve(BUSY, json("{}", headers: "X-Request-Id: 01J\r\n"))
    server.client(log: entries.method(:<<)).posts.get("post_1", fields: "id")
    common = { method: "GET", path: "/api/v1/posts/post_1?fields=id" }

    assert_equal [common.merge(attempt: 1, status: 503, error: nil, request_id: nil, retry_in: 0),
                  common.merge(attempt: 2, status: 200, error: nil, request_id: "01J", retry_in: nil)],
                 (entries.map { |entry| entry.except(:milliseconds) })
    assert(entries.all? { |entry| entry[:milliseconds].is_a?(Integer) })
  end

  def test_a_logger_gets_a_line_without_the_api_key
    out = StringIO.new
    serve(BUSY, json("{}")).client(log: Logger.new(out)).me

    assert_match %r{DEBUG .*blogsvc: GET /api/v1/me 503 in \d+ ms retry in 0 s$}, out.string
    assert_match %r{DEBUG .*blogsvc: GET /api/v1/me 200 in \d+ ms \(attempt 2\)$}, out.string
    refute_includes out.string, "secret"
  end
end
