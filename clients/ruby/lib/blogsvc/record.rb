# frozen_string_literal: true

module Blogsvc
  # An object that the API returned, or an object nested in one. It is deeply frozen.
  #
  # Fields are methods with Ruby names; times are {Time} in UTC. With `[]`, fields have the names and JSON values of the
  # API. Fields that this version does not know are available both ways.
  #
  #     post.scheduled_at      # => 2030-01-01 08:00:00 UTC
  #     post["scheduledAt"]    # => "2030-01-01T08:00:00Z"
  #
  #     case post
  #     in { status: "scheduled", scheduled_at: } then puts "at #{scheduled_at}"
  #     in { status: "published", url: } then puts url
  #     end
  class Record
    # The names of fields that are times. The value alone is not enough, since a title could look like a time.
    TIME_NAME = /(?:At|Since|Until)\z|\Atimestamp\z/
    private_constant :TIME_NAME

    # @return [Response, nil] status, headers, etag and request id; nil on a nested object
    attr_reader :response

    # @param fields [Hash{String => Object}] parsed JSON
    # @param response [Response, nil]
    # @api private
    def initialize(fields, response = nil)
      @fields = fields.transform_values { |value| wrap(value) }.freeze
      @response = response
      freeze
    end

    # @param name [String, Symbol] a field's name in the API
    # @return [Object, nil] its JSON value; a time is a String
    def [](name) = @fields[name.to_s]

    # @param name [String, Symbol] a field's name in the API
    # @return [Boolean] whether the record has the field
    def key?(name) = @fields.key?(name.to_s)

    # Like {Hash#dig}, for nested records and lists.
    # @return [Object, nil]
    def dig(name, *rest)
      value = self[name]
      rest.empty? || value.nil? ? value : value.dig(*rest)
    end

    # @return [Hash{String => Object}] plain hashes and lists with the names of the API
    def to_h = @fields.transform_values { |value| unwrap(value) }

    # Rails would otherwise serialize the instance variables.
    # @return [Hash{String => Object}]
    def as_json(*) = to_h

    # @return [String] the record as JSON
    def to_json(*options) = to_h.to_json(*options)

    # Supports pattern matching with Ruby names.
    # @return [Hash{Symbol => Object}]
    def deconstruct_keys(names)
      known = @fields.to_h { |field, _| [method_name(field), field] }
      known = known.slice(*names) if names
      known.transform_values { |field| value_of(field) }
    end

    # @return [Boolean] whether both records have the same fields and values
    def ==(other) = other.is_a?(Record) && fields == other.fields
    alias eql? ==

    # @return [Integer]
    def hash = fields.hash

    # @return [String]
    def inspect
      ["#<#{self.class}", *fields.map { |name, value| "#{name}=#{value.inspect}" }].join(" ") << ">"
    end
    alias to_s inspect

    # Supports `pp`, with one field per line.
    def pretty_print(printer)
      printer.object_group(self) do
        printer.seplist(fields, -> { printer.text(",") }) do |name, value|
          printer.breakable
          printer.text("#{name}=")
          printer.pp(value)
        end
      end
    end

    # @api private
    def marshal_dump = [to_h, response]

    # @api private
    def marshal_load(parts) = initialize(*parts)

    protected

    attr_reader :fields

    private

    def method_missing(name, *arguments)
      field = field_of(name)
      return super unless field && arguments.empty? && !block_given?

      value_of(field)
    end

    def respond_to_missing?(name, include_private = false) = !field_of(name).nil? || super

    # Returns the field of a method: `scheduledAt` for `scheduled_at`. Names with capitals are not methods.
    def field_of(name)
      text = name.to_s
      return if text.match?(/[A-Z]/)

      camel = text.gsub(/_([a-z])/) { Regexp.last_match(1).upcase }
      [camel, text].find { |one| @fields.key?(one) }
    end

    def method_name(field) = field.gsub(/(?<=[a-z0-9])([A-Z])/) { "_#{Regexp.last_match(1).downcase}" }.to_sym

    def value_of(field)
      value = @fields[field]
      value.is_a?(String) && TIME_NAME.match?(field) ? parse_time(value) : value
    end

    # Returns the string itself if it is not a time.
    def parse_time(text)
      Time.iso8601(text).utc
    rescue ArgumentError
      text
    end

    def wrap(value)
      case value
      when Hash then Record.new(value)
      when Array then value.map { |one| wrap(one) }.freeze
      when String then -value
      else value
      end
    end

    def unwrap(value)
      case value
      when Record then value.to_h
      when Array then value.map { |one| unwrap(one) }
      else value
      end
    end
  end
end
