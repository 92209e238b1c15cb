# frozen_string_literal: true

require "minitest/autorun"
require "socket"
require "stringio"
require_relative "../lib/blogsvc"

# A server that returns the given responses, one per connection, and records the requests.
class ScriptedServer
  attr_reader :requests

  def self.json(text, status: "200 OK", headers: "")
    "HTTP/1.1 #{status}\r\nContent-Type: application/json\r\nContent-Length: #{text.bytesize}\r\n#{headers}\r\n#{text}"
  end

  # @param responses [Array<String>] raw HTTP responses
  def initialize(*responses)
    @requests = []
    @server = TCPServer.new("127.0.0.1", 0)
    @thread = Thread.new { responses.each { |response| serve(@server.accept, response) } }
  end

  def url = "http://127.0.0.1:#{@server.addr[1]}"

  def client(**options) = Blogsvc::Client.new(api_key: "bsk_secret", base_url: url, **options)

  def close
    @thread.kill
    @server.close
  end

  private

  def serve(socket, response)
    head = +""
    head << socket.gets until head.end_with?("\r\n\r\n")
    @requests << (head.b + socket.read(head[/^Content-Length: (\d+)/i, 1].to_i))
    socket.write(response)
  ensure
    socket.close
  end
end

# A test that uses scripted servers.
class ServerTest < Minitest::Test
  def serve(*responses)
    (@servers ||= []) << ScriptedServer.new(*responses)
    @servers.last
  end

  def json(...) = ScriptedServer.json(...)

  def teardown = @servers&.each(&:close)
end
