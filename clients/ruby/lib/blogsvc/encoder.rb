# frozen_string_literal: true

module Blogsvc
  # Encodes bodies, forms, queries and paths.
  # @api private
  module Encoder
    module_function

    # Encodes the given fields as JSON.
    def body(fields)
      JSON.generate(json_value(given(fields)))
    rescue JSON::JSONError, EncodingError => error
      raise ConfigurationError, "The fields cannot be encoded as JSON: #{error.message}"
    end

    # Converts the given fields of a form to strings.
    def form(fields) = given(fields).transform_values(&:to_s)

    # Encodes a query without the question mark. The parameter of a list is repeated.
    def query(fields)
      pairs = given(fields).compact.flat_map do |name, value|
        list = value.is_a?(Array) ? value : [value] # Array() would convert a Time to its components
        list.map { |one| [name, query_value(one)] }
      end
      URI.encode_www_form(pairs)
    end

    # Encodes an id as a path segment.
    def segment(id)
      text = id.to_s
      # An empty id would request the list, and servers and proxies resolve dots.
      raise ConfigurationError, "#{text.inspect} is not a valid id." if text.match?(/\A\.{0,2}\z/)

      URI.encode_www_form_component(text).gsub("+", "%20")
    end

    def time(value)
      utc = value.to_time.getutc
      utc.strftime(utc.subsec.zero? ? "%FT%TZ" : "%FT%T.%6NZ")
    end

    def given(fields) = fields.reject { |_, value| NOT_GIVEN.equal?(value) }

    # Only queries accept dates (`from`, `to`); bodies have times.
    def query_value(value)
      case value
      when Time, DateTime then time(value)
      when Date then value.iso8601
      else value.to_s
      end
    end

    def json_value(value)
      case value
      when nil, true, false, Numeric, String, Symbol then value
      when Time, DateTime then time(value)
      when Record then value.to_h
      when Array then value.map { |one| json_value(one) }
      when Hash then value.transform_values { |one| json_value(one) }
      when Date then raise ConfigurationError, "A Date has no time and offset. Pass a Time or DateTime."
      else raise ConfigurationError, "A #{value.class} cannot be sent."
      end
    end

    private_class_method :given, :query_value, :json_value
  end
  private_constant :Encoder
end
