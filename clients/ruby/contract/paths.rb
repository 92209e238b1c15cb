# frozen_string_literal: true

# Finds what lies at a path: "deliveries.0.state", "response.etag", "content|length".
module Paths
  module_function

  # @param more [Hash] what is known beside the value: `progress`, `key`
  def value(whole, path, raw: false, **more)
    place, form = path.split("|")
    return formed(more[:progress], form, more) if place == "progress"

    *before, last = place.to_s.split(".")
    return formed(whole, form, more) unless last

    parent = before.reduce(whole) { |one, name| part(one, name) }
    return time(parent, last) if form == "time"

    found = part(parent, last)
    raw ? found : formed(found, form, more)
  end

  def kind(error_class) = error_class.name.delete_prefix("Blogsvc::").delete_suffix("Error")

  def part(whole, name)
    case whole
    when nil then nil
    when Array then whole[Integer(name)]
    when Hash then whole[name]
    when Blogsvc::Record, Blogsvc::Page then name == "response" ? whole.response : whole[name]
    else attribute(whole, name == "isReplayed" ? :replayed? : snake(name))
    end
  end

  def attribute(whole, name) = (whole.public_send(name) if whole.respond_to?(name))

  def snake(name) = name.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" }.to_sym

  def time(parent, name) = attribute(parent, snake(name)).strftime("%Y-%m-%dT%H:%M:%SZ")

  def formed(value, form, more)
    case form
    when nil then value
    when "length" then value.length
    when "sorted" then value.sort
    when "keyless" then !value.include?(more.fetch(:key))
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
