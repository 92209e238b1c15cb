# frozen_string_literal: true

module Blogsvc
  # An answer, or an object within one: read only, to its depth, and with all that was answered.
  #
  # Its fields are its methods, under Ruby's names, times as {Time} in UTC; by `[]` they are what was answered, under
  # the API's names. A field that this version has never heard of is there as well.
  #
  #     post.scheduled_at      # => 2030-01-01 08:00:00 UTC
  #     post["scheduledAt"]    # => "2030-01-01T08:00:00Z"
  #
  #     case post
  #     in { status: "scheduled", scheduled_at: } then puts "at #{scheduled_at}"
  #     in { status: "published", url: } then puts url
  #     end
  class Record
    # What the API calls its times. A name decides and not the value alone, or a title could turn into a time.
    TIME_NAME = /(?:At|Since|Until)\z|\Atimestamp\z/
    private_constant :TIME_NAME

    # @return [Response, nil] status, headers, etag and request id; nil for what lies within an answer
    attr_reader :response

    # @param fields [Hash{String => Object}] parsed JSON
    # @param response [Response, nil]
    # @api private
    def initialize(fields, response = nil)
      @fields = fields.transform_values { |value| wrapped(value) }.freeze
      @response = response
      freeze
    end

    # @param name [String, Symbol] a field's name in the API
    # @return [Object, nil] its value as it was answered, a time as its text
    def [](name) = @fields[name.to_s]

    # @param name [String, Symbol] a field's name in the API
    # @return [Boolean] whether it was answered
    def key?(name) = @fields.key?(name.to_s)

    # As {Hash#dig}, over records and lists.
    # @return [Object, nil]
    def dig(name, *rest)
      value = self[name]
      rest.empty? || value.nil? ? value : value.dig(*rest)
    end

    # @return [Hash{String => Object}] what was answered, as plain hashes and lists under the API's names
    def to_h = @fields.transform_values { |value| unwrapped(value) }

    # For Rails, which else would write the instance variables.
    # @return [Hash{String => Object}]
    def as_json(*) = to_h

    # @return [String] what was answered, as JSON
    def to_json(*options) = to_h.to_json(*options)

    # For pattern matching, under Ruby's names.
    # @return [Hash{Symbol => Object}]
    def deconstruct_keys(names)
      known = @fields.to_h { |field, _| [method_name(field), field] }
      known = known.slice(*names) if names
      known.transform_values { |field| value_of(field) }
    end

    # @return [Boolean] whether the other has the same fields with the same values
    def ==(other) = other.is_a?(Record) && fields == other.fields
    alias eql? ==

    # @return [Integer]
    def hash = fields.hash

    # @return [String]
    def inspect
      ["#<#{self.class}", *fields.map { |name, value| "#{name}=#{value.inspect}" }].join(" ") << ">"
    end
    alias to_s inspect

    # For `pp`: a field to a line.
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

    # The field that a method stands for: `scheduledAt` for `scheduled_at`; a name with a capital is none of Ruby's.
    def field_of(name)
      text = name.to_s
      return if text.match?(/[A-Z]/)

      camel = text.gsub(/_([a-z])/) { Regexp.last_match(1).upcase }
      [camel, text].find { |one| @fields.key?(one) }
    end

    def method_name(field) = field.gsub(/(?<=[a-z0-9])([A-Z])/) { "_#{Regexp.last_match(1).downcase}" }.to_sym

    def value_of(field)
      value = @fields[field]
      value.is_a?(String) && TIME_NAME.match?(field) ? time_or_text(value) : value
    end

    def time_or_text(text)
      Time.iso8601(text).utc
    rescue ArgumentError
      text
    end

    def wrapped(value)
      case value
      when Hash then Record.new(value)
      when Array then value.map { |one| wrapped(one) }.freeze
      when String then -value
      else value
      end
    end

    def unwrapped(value)
      case value
      when Record then value.to_h
      when Array then value.map { |one| unwrapped(one) }
      else value
      end
    end
  end
end
