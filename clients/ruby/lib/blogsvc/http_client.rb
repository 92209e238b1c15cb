# frozen_string_literal: true

module Blogsvc
  # Sends a request once over a new connection, so that threads and processes share nothing.
  # @api private
  class HttpClient
    USER_AGENT = "blogsvc-ruby/#{VERSION} (Ruby #{RUBY_VERSION})".freeze
    VERBS = {
      "GET" => Net::HTTP::Get, "POST" => Net::HTTP::Post, "PUT" => Net::HTTP::Put, "PATCH" => Net::HTTP::Patch,
      "DELETE" => Net::HTTP::Delete
    }.freeze
    # The errors that net/http raises if there is no response, or an incomplete one.
    CONNECTION_ERRORS = [
      SystemCallError, SocketError, IOError, Net::OpenTimeout, Net::ReadTimeout, Net::WriteTimeout,
      Net::ProtocolError, Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError, OpenSSL::SSL::SSLError, Zlib::Error
    ].freeze
    TIMEOUTS = [Net::OpenTimeout, Net::ReadTimeout, Net::WriteTimeout, Errno::ETIMEDOUT].freeze
    # Seconds. The server sends a comment every 15 s, so a stream that is silent for longer is broken.
    STREAM_READ_TIMEOUT = 45
    private_constant :USER_AGENT, :VERBS, :CONNECTION_ERRORS, :TIMEOUTS, :STREAM_READ_TIMEOUT

    # @param options [Options]
    def initialize(options)
      @options = options
      freeze
    end

    # @return [RawResponse, ConnectionError]
    def call(request)
      http = connection(request)
      http.start
      http.request(message(request)) { |response| return raw_response(response) }
    rescue *CONNECTION_ERRORS => error
      connection_error(error, http)
    ensure
      http.finish if http&.started?
    end

    # Calls `on_open` with the {Response}, and yields the chunks of its body as they arrive.
    # @return [RawResponse, ConnectionError] a response that is not a stream, or the error that ended the stream
    def stream(request, on_open, &on_chunk)
      http = connection(request)
      in_callback = false
      notify = lambda do |callback, argument|
        in_callback = true
        callback.call(argument)
        in_callback = false
      end
      http.start
      http.request(message(request)) do |response|
        return raw_response(response) unless stream?(response)

        http.read_timeout = STREAM_READ_TIMEOUT
        notify.call(on_open, metadata(response))
        response.read_body { |chunk| notify.call(on_chunk, chunk) }
      end
      ConnectionError.new("The stream ended.")
    rescue *CONNECTION_ERRORS => error
      # An error of the caller's block is not a connection error.
      in_callback ? raise : connection_error(error, http)
    ensure
      http.finish if http&.started?
    end

    private

    def connection(request)
      base = @options.base
      http = Net::HTTP.new(base.hostname, base.port)
      http.use_ssl = base.scheme == "https"
      http.max_retries = 0 # net/http would retry silently, even if that is not safe
      http.open_timeout = http.write_timeout = @options.timeout
      http.read_timeout = @options.timeout + (request.wait || 0)
      http
    end

    def message(request)
      headers = { "Authorization" => @options.authorization, "User-Agent" => USER_AGENT, **request.headers }
      VERBS.fetch(request.verb).new("#{@options.base.path}#{request.path}", headers).tap do |message|
        message.body = request.body if request.body
      end
    end

    def raw_response(response) = RawResponse.new(metadata(response), complete_body(response))

    def metadata(response) = Response.new(response.code.to_i, response.each_header.to_h)

    # Checks the length, since net/http does not report an incomplete body.
    def complete_body(response)
      expected = response.content_length if response.class.body_permitted? && !response["content-encoding"]
      body = response.read_body.to_s
      raise EOFError, "the response is incomplete" if expected && body.bytesize < expected

      body
    end

    def stream?(response) = response.code == "200" && response.content_type == "text/event-stream"

    # Returns the error after raising it, which sets its cause.
    def connection_error(error, http)
      raise TimeoutError.new("No response within the timeout.", sent: http.started?) if TIMEOUTS.include?(error.class)

      raise ConnectionError.new("No response: #{error.message} (#{error.class}).", sent: http.started?)
    rescue ConnectionError => error
      error
    end
  end
  private_constant :HttpClient
end
