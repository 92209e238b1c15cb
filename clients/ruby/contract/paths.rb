# frozen_string_literal: true

# Returns the value at a path: "deliveries.0.state", "response.etag", "content|length".
module Paths
  module_function

  # @param context [Hash] `progress` and `key`, if known
  def value(source, path, raw: false, **context)
    place, filter = path.split("|")
    return apply(filter, context[:progress], context) if place == "progress"

    *before, last = place.to_s.split(".")
    return apply(filter, source, context) unless last

    parent = before.reduce(source) { |one, name| field(one, name) }
    return time(parent, last) if filter == "time"

    found = field(parent, last)
    raw ? found : apply(filter, found, context)
  end

  def error_kind(error_class) = error_class.name.delete_prefix("Blogsvc::").delete_suffix("Error")

  def field(source, name)
    case source
    when nil then nil
    when Array then source[Integer(name)]
    when Hash then source[name]
    when Blogsvc::Record, Blogsvc::Page then name == "response" ? source.response : source[name]
    else attribute(source, name == "isReplayed" ? :replayed? : snake_case(name))
    end
  end

  def attribute(source, name) = (source.public_send(name) if source.respond_to?(name))

  def snake_case(name) = name.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" }.to_sym

  def time(parent, name) = attribute(parent, snake_case(name)).strftime("%Y-%m-%dT%H:%M:%SZ")

  def apply(filter, value, context)
    case filter
    when nil then value
    when "length" then value.length
    when "sorted" then value.sort
    when "hidesKey" then !value.include?(context.fetch(:key))
    when "type" then type(value)
    end
  end

  def type(value)
    case value
    when nil then "null"
    when true, false then "boolean"
    when Numeric then "number"
    when String then "string"
    when Array then "list"
    else "object"
    end
  end
end
