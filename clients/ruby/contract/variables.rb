# frozen_string_literal: true

require_relative "paths"

# What steps keep for later ones, and what they send of it.
class Variables
  WHOLE = /\A\$\{([^}]+)\}\z/
  PART = /\$\{([^}]+)\}/

  def initialize(folder)
    @folder = folder
    @values = {
      "run" => ENV.fetch("RUN"), "key" => ENV.fetch("BLOGSVC_API_KEY"),
      "platform" => ENV.fetch("PLATFORM", nil), "hook" => ENV.fetch("HOOK", nil)
    }
  end

  def []=(name, value)
    @values[name] = value
  end

  # The same with everything put in its place.
  def filled(value)
    case value
    when String then text(value)
    when Array then value.map { |one| filled(one) }
    when Hash then made?(value) ? made(*value.first) : value.transform_values { |one| filled(one) }
    else value
    end
  end

  private

  def made?(value) = value.keys.first&.start_with?("$")

  def text(value)
    whole = WHOLE.match(value)
    whole ? found(whole[1]) : value.gsub(PART) { found(Regexp.last_match(1)) }
  end

  def found(path)
    name, rest = path.split(".", 2)
    Paths.value(@values.fetch(name), rest.to_s)
  end

  def made(kind, value)
    case kind
    when "$repeat" then value[0] * value[1]
    when "$time" then Time.iso8601(value)
    when "$in" then Time.now + value
    when "$path" then File.join(@folder, value)
    when "$open" then File.open(File.join(@folder, value), "rb")
    when "$text" then File.read(File.join(@folder, value))
    end
  end
end
