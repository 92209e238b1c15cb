# frozen_string_literal: true

require "minitest/autorun"
require "socket"
require "stringio"
require_relative "../lib/blogsvc"

# A server that answers as it is told, one answer to a connection, and remembers what came.
class ScriptedServer
  attr_reader :requests

  def self.json(text, status: "200 OK", headers: "")
    "HTTP/1.1 #{status}\r\nContent-Type: application/json\r\nContent-Length: #{text.bytesize}\r\n#{headers}\r\n#{text}"
  end

  # @param answers [Array<String>] what is written, as it is
  def initialize(*answers)
    @requests = []
    @server = TCPServer.new("127.0.0.1", 0)
    @thread = Thread.new { answers.each { |answer| serve(@server.accept, answer) } }
  end

  def url = "http://127.0.0.1:#{@server.addr[1]}"

  def client(**options) = Blogsvc::Client.new(api_key: "bsk_secret", base_url: url, **options)

  def close
    @thread.kill
    @server.close
  end

  private

  def serve(socket, answer)
    head = +""
    head << socket.gets until head.end_with?("\r\n\r\n")
    @requests << (head.b + socket.read(head[/^Content-Length: (\d+)/i, 1].to_i))
    socket.write(answer)
  ensure
    socket.close
  end
end

# A test with scripted servers.
class ServerTest < Minitest::Test
  def serve(*answers)
    (@servers ||= []) << ScriptedServer.new(*answers)
    @servers.last
  end

  def json(...) = ScriptedServer.json(...)

  def teardown = @servers&.each(&:close)
end
