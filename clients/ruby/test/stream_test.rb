# frozen_string_literal: true

require_relative "helper"

class StreamTest < ServerTest
  HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
  FIRST = %(:\n\nretry: 5\n\nid: e1\nevent: post.created\ndata: {"id": "e1", "type": "é"}\n\n)
  SECOND = %(id: e2\r\ndata: {"id": "e2",\r\ndata:  "type": "b"}\r\n\r\n)

  def test_a_stream_reconnects_after_the_last_event
    server = serve(HEAD + FIRST + SECOND[0, 20], "", HEAD + SECOND)
    events = server.client.events.stream(after: "e0").first(2)

    assert_equal %w[é b], events.map(&:type)
    assert_includes server.requests[0], "GET /api/v1/events/stream?after=e0 "
    assert_equal [nil, "e1", "e1"], (server.requests.map { |request| request[/^Last-Event-Id: (\S+)/i, 1] })
  end

  def test_a_stream_without_events_reconnects_at_its_start
    server = serve("#{HEAD}retry: 5\nid: e0\n\nid: half", HEAD + FIRST)
    server.client.events.stream.first

    assert_includes server.requests[1], "Last-Event-Id: e0\r\n"
  end

  def test_break_leaves_the_stream
    id = serve(HEAD + FIRST).client.events.stream { |event| break event.id }

    assert_equal "e1", id
  end

  def test_an_error_of_the_block_is_not_retried
    [IOError, Blogsvc::ConnectionError, StopIteration].each do |kind|
      server = serve(HEAD + FIRST, HEAD + FIRST)
      error = assert_raises(kind) { server.client.events.stream { raise kind, "mine" } }

      assert_equal "mine", error.message
      assert_equal 1, server.requests.length
    end
  end

  def test_an_error_that_a_retry_cannot_fix_ends_the_stream
    assert_raises(Blogsvc::AuthenticationError) { serve(json("{}", status: "401 No")).client.events.stream.next }
    assert_raises(Blogsvc::APIError) { serve(json("{}")).client.events.stream.next }
    assert_raises(Blogsvc::ConnectionError) { serve("").client(max_retries: 0).events.stream.next }
  end

  def test_events_are_parsed_from_chunks_of_any_size
    text = "#{FIRST}#{SECOND}#{FIRST.tr("\n", "\r")}:\n".b
    whole = parse(text)

    assert_equal %w[e1 e2 e1], whole.map(&:last)
    (0..text.bytesize).each { |cut| assert_equal whole, parse(text.byteslice(0, cut), text.byteslice(cut..)) }
  end

  def parse(*chunks)
    parser = Blogsvc.const_get(:SseParser).new
    [].tap { |found| chunks.each { |chunk| parser.feed(chunk) { |data| found << [data, parser.last_event_id] } } }
  end
end
