# frozen_string_literal: true

require_relative "helper"

class RequestsTest < ServerTest
  GONE = ScriptedServer.json('{"type": "/problems/not-found"}', status: "404 Not Found")
  BUSY = ScriptedServer.json("{}", status: "503 Busy", headers: "Retry-After: 0\r\n")
  PAGE = "HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"

  def test_an_incomplete_response_is_retried
    incomplete = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{}"
    server = serve(incomplete, json('{"a": 1}'))

    assert_equal 1, server.client.me.a
    assert_equal 2, server.requests.length
  end

  def test_net_http_does_not_retry_by_itself
    server = serve("", json("{}"))
    error = assert_raises(Blogsvc::ConnectionError) { server.client(max_retries: 0).me }

    assert_predicate error, :sent?
    assert_kind_of EOFError, error.cause
    assert_equal 1, server.requests.length
  end

  def test_an_unsent_request_with_if_match_is_retried
    port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    log = []
    client = Blogsvc::Client.new(api_key: "k", base_url: "http://[::1]:#{port}", max_retries: 1, log: log.method(:<<))
    error = assert_raises(Blogsvc::ConnectionError) { client.posts.update("post_1", title: "x", if_match: '"1"') }

    refute_predicate error, :sent?
    assert_equal 2, log.length
  end

  def test_a_lost_request_with_if_match_is_not_retried
    server = serve("", json("{}"))
    posts = server.client.posts
    error = assert_raises(Blogsvc::ConnectionError) { posts.update("post_1", title: "x", if_match: '"1"') }

    assert_includes error.message, "is not retried"
    assert_equal 1, server.requests.length
  end

  def test_all_attempts_have_the_same_idempotency_key
    server = serve("", json("{}"), json("{}"))
    2.times { server.client.posts.restore("post_1") }
    keys = server.requests.map { |request| request[/^Idempotency-Key: (\S+)/i, 1] }

    assert_equal keys[0], keys[1]
    refute_equal keys[0], keys[2]
  end

  def test_retry_for_keeps_trying_beyond_the_maximum
    server = serve(BUSY, BUSY, BUSY, json('{"title": "Ink"}'))

    assert_equal "Ink", server.client(max_retries: 0, retry_for: 60).posts.create(title: "Ink").title
    assert_equal 1, (server.requests.map { |request| request[/^Idempotency-Key: (\S+)/i, 1] }).uniq.length
  end

  def test_retry_for_ends_when_the_time_is_up
    port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    log = []
    options = { base_url: "http://127.0.0.1:#{port}", max_retries: 0, retry_for: 0.6, log: log.method(:<<) }
    assert_raises(Blogsvc::ConnectionError) { Blogsvc::Client.new(api_key: "k", **options).me }

    assert_operator log.length, :>=, 2 # the first wait is at most 0.5 s
    assert_operator log.sum { |entry| entry[:retry_in].to_f }, :<=, 0.6
  end

  def test_errors_of_a_proxy_are_retried_only_with_retry_for
    assert_equal 1, serve(lost(502), lost(504), json('{"a": 1}')).client(retry_for: 60).me.a
    assert_raises(Blogsvc::ServerError) { serve(lost(502), json("{}")).client.me }
  end

  def test_a_502_of_the_api_itself_is_not_retried
    server = serve(json('{"type": "/problems/platform-unavailable"}', status: "502 Bad Gateway"), json("{}"))

    assert_raises(Blogsvc::ServerError) { server.client(retry_for: 60).platforms.verify("gazette") }
  end

  def test_a_response_that_a_proxy_lost_counts_as_lost
    assert_nil serve(lost(504), GONE).client(retry_for: 60).posts.delete("post_1")
    posts = serve(lost(504), json("{}")).client(retry_for: 60).posts

    assert_raises(Blogsvc::ServerError) { posts.update("post_1", title: "x", if_match: '"1"') }
  end

  def test_an_error_has_the_idempotency_key_of_its_request
    ["", json("{}", status: "422 No"), format(PAGE, "200 OK")].each do |response|
      server = serve(response)
      error = assert_raises(Blogsvc::Error) { server.client(max_retries: 0).posts.restore("post_1") }

      assert_equal server.requests[0][/^Idempotency-Key: (\S+)/i, 1], error.idempotency_key
    end
    error = assert_raises(Blogsvc::Error) { serve(json("{}", status: "404 No")).client.me }

    assert_nil error.idempotency_key
  end

  def test_a_404_after_a_lost_delete_is_a_success
    assert_nil serve("", GONE).client.posts.delete("post_1")
    assert_raises(Blogsvc::NotFoundError) { serve(GONE).client.posts.delete("post_1") }
  end

  def test_a_retry_after_beyond_the_maximum_is_raised
    busy = json("{}", status: "503 Busy", headers: "Retry-After: 61\r\n")
    error = assert_raises(Blogsvc::ServerError) { serve(busy).client.me }

    assert_equal 61, error.retry_after
  end

  def test_retry_after_can_be_a_date
    slow = json("{}", status: "429 Slow", headers: "Retry-After: #{(Time.now + 900).httpdate}\r\n")
    error = assert_raises(Blogsvc::RateLimitError) { serve(slow).client.me }

    assert_in_delta 900, error.retry_after, 2
  end

  def test_an_error_has_the_whole_problem
    problem = {
      type: "https://x/problems/invalid", title: "T", detail: "Not so.", status: 422,
      errors: [{ pointer: "#/title", code: "too_short", detail: "Too short." }]
    }
    response = json(JSON.generate(problem), status: "422 No", headers: "X-Request-Id: 01J\r\n")
    error = assert_raises(Blogsvc::InvalidError) { serve(response).client.posts.create(title: "") }

    assert_equal "#/title: Too short. (422 invalid, request 01J)", error.message
    assert_equal ["#/title", "too_short"], [error.errors[0].pointer, error.errors[0].code]
    assert_equal "T", error.problem.title
    assert_equal "application/json", error.headers["content-type"]
  end

  def test_a_response_that_is_not_json_is_an_error_with_its_status
    [format(PAGE, "200 OK"), json("[]"), json("{")].each do |response|
      error = assert_raises(Blogsvc::APIError) { serve(response).client.me }

      assert_equal [Blogsvc::APIError, 200, nil], [error.class, error.status, error.slug]
    end
    assert_raises(Blogsvc::ServerError) { serve(format(PAGE, "502 Bad Gateway")).client.me }
  end

  def test_pages_are_fetched_when_they_are_reached
    server = serve(json('{"data": [{"n": 1}], "nextCursor": "c"}'), json('{"data": [{"n": 2}], "nextCursor": null}'))
    page = server.client.posts.list(limit: 1)

    assert_equal 1, page.first.n
    assert_predicate page, :next?
    assert_equal 1, server.requests.length
    assert_equal [1, 2], page.map(&:n)
    assert_includes server.requests[1], "GET /api/v1/posts?limit=1&cursor=c "
  end

  def test_an_io_object_can_be_uploaded
    server = serve(json("{}"))
    server.client.media.upload(StringIO.new("\x89PNG".b), filename: "a\"\r\n.png", alt: "é")

    assert_includes server.requests[0], %(name="file"; filename="a%22%0D%0A.png"\r\n)
    assert_includes server.requests[0], %(name="alt"\r\n\r\né\r\n).b
    assert_raises(Blogsvc::ConfigurationError) { server.client.media.upload(StringIO.new("x")) }
  end

  private

  # The response of a proxy that could not reach the server.
  def lost(status) = "HTTP/1.1 #{status} Bad\r\nContent-Type: text/html\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
end
