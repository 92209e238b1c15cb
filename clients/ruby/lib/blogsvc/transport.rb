# frozen_string_literal: true

module Blogsvc
  # Sends a request once, over a connection of its own: nothing is shared between threads or processes.
  # @api private
  class Transport
    USER_AGENT = "blogsvc-ruby/#{VERSION} (Ruby #{RUBY_VERSION})".freeze
    VERBS = {
      "GET" => Net::HTTP::Get, "POST" => Net::HTTP::Post, "PATCH" => Net::HTTP::Patch, "DELETE" => Net::HTTP::Delete
    }.freeze
    # What net/http raises where no answer comes, or half of one.
    FAULTS = [
      SystemCallError, SocketError, IOError, Net::OpenTimeout, Net::ReadTimeout, Net::WriteTimeout,
      Net::ProtocolError, Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError, OpenSSL::SSL::SSLError, Zlib::Error
    ].freeze
    TIMEOUTS = [Net::OpenTimeout, Net::ReadTimeout, Net::WriteTimeout, Errno::ETIMEDOUT].freeze
    # Seconds. The server says something each 15; a stream that is silent for so long is broken.
    LONGEST_SILENCE = 45
    private_constant :USER_AGENT, :VERBS, :FAULTS, :TIMEOUTS, :LONGEST_SILENCE

    # @param options [Options]
    def initialize(options)
      @options = options
      freeze
    end

    # @return [Answer, ConnectionError] what came, or why nothing did
    def call(request)
      http = connection(request)
      http.start
      http.request(message(request)) { |response| return answer(response) }
    rescue *FAULTS => error
      failure(error, http)
    ensure
      http.finish if http&.started?
    end

    # Calls `opened` with the {Response}, and yields each part of its body as it comes.
    # @return [Answer, ConnectionError] what came in the place of a stream, or how it broke off
    def stream(request, opened, &each_part)
      http = connection(request)
      is_told = false
      tell = lambda do |listener, news|
        is_told = true
        listener.call(news)
        is_told = false
      end
      http.start
      http.request(message(request)) do |response|
        return answer(response) unless stream?(response)

        http.read_timeout = LONGEST_SILENCE
        tell.call(opened, head(response))
        response.read_body { |part| tell.call(each_part, part) }
      end
      ConnectionError.new("The stream ended.")
    rescue *FAULTS => error
      # What the listener's own code raises is not the connection's fault.
      is_told ? raise : failure(error, http)
    ensure
      http.finish if http&.started?
    end

    private

    def connection(request)
      base = @options.base
      http = Net::HTTP.new(base.hostname, base.port)
      http.use_ssl = base.scheme == "https"
      http.max_retries = 0 # net/http would do it in silence, and without knowing when it is safe
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

    def answer(response) = Answer.new(head(response), whole_body(response))

    def head(response) = Response.new(response.code.to_i, response.each_header.to_h)

    # net/http takes a body that breaks off for a whole one.
    def whole_body(response)
      due = response.content_length if response.class.body_permitted? && !response["content-encoding"]
      body = response.read_body.to_s
      raise EOFError, "the answer broke off" if due && body.bytesize < due

      body
    end

    def stream?(response) = response.code == "200" && response.content_type == "text/event-stream"

    # Raised once here, it knows its cause.
    def failure(error, http)
      raise TimeoutError.new("No answer came in time.", sent: http.started?) if TIMEOUTS.include?(error.class)

      raise ConnectionError.new("No answer came: #{error.message} (#{error.class}).", sent: http.started?)
    rescue ConnectionError => error
      error
    end
  end
  private_constant :Transport
end
