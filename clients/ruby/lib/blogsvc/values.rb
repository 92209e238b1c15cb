# frozen_string_literal: true

module Blogsvc
  # Ruby's values as the API writes them.
  # @api private
  module Values
    module_function

    # The body of a request: what was given, as JSON.
    def body(fields)
      JSON.generate(plain(given(fields)))
    rescue JSON::JSONError, EncodingError => error
      raise ConfigurationError, "The fields cannot be written as JSON: #{error.message}"
    end

    # The fields of a form, all of them texts.
    def form(fields) = given(fields).transform_values(&:to_s)

    # The query of a request, without the question mark. A list is repeated.
    def query(fields)
      pairs = given(fields).compact.flat_map do |name, value|
        list = value.is_a?(Array) ? value : [value] # Array() would take a Time apart
        list.map { |one| [name, word(one)] }
      end
      URI.encode_www_form(pairs)
    end

    # One segment of a path, from what the caller names as an id.
    def segment(id)
      text = id.to_s
      # An empty one would be the list, and servers and proxies follow dots.
      raise ConfigurationError, "#{text.inspect} is no id." if text.match?(/\A\.{0,2}\z/)

      URI.encode_www_form_component(text).gsub("+", "%20")
    end

    def time(value)
      utc = value.to_time.getutc
      utc.strftime(utc.subsec.zero? ? "%FT%TZ" : "%FT%T.%6NZ")
    end

    def given(fields) = fields.reject { |_, value| NOT_GIVEN.equal?(value) }

    # In a query a date is a word of the API (`from`, `to`); in a body there are only times.
    def word(value)
      case value
      when Time, DateTime then time(value)
      when Date then value.iso8601
      else value.to_s
      end
    end

    def plain(value)
      case value
      when nil, true, false, Numeric, String, Symbol then value
      when Time, DateTime then time(value)
      when Record then value.to_h
      when Array then value.map { |one| plain(one) }
      when Hash then value.transform_values { |one| plain(one) }
      else raise ConfigurationError, "#{what(value)} cannot be sent."
      end
    end

    def what(value) = value.is_a?(Date) ? "A date without a time and its offset" : "An object of #{value.class}"

    private_class_method :given, :word, :plain, :what
  end
  private_constant :Values
end
