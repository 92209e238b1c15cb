# frozen_string_literal: true

require_relative "paths"

# The variables of a scenario, and how steps use them.
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

  # Replaces the variables and functions in a value of a step.
  def fill(value)
    case value
    when String then fill_text(value)
    when Array then value.map { |one| fill(one) }
    when Hash then function?(value) ? call_function(*value.first) : value.transform_values { |one| fill(one) }
    else value
    end
  end

  private

  def function?(value) = value.keys.first&.start_with?("$")

  def fill_text(text)
    whole = WHOLE.match(text)
    whole ? lookup(whole[1]) : text.gsub(PART) { lookup(Regexp.last_match(1)) }
  end

  def lookup(path)
    name, rest = path.split(".", 2)
    Paths.value(@values.fetch(name), rest.to_s)
  end

  def call_function(name, argument)
    case name
    when "$repeat" then argument[0] * argument[1]
    when "$time" then Time.iso8601(argument)
    when "$in" then Time.now + argument
    when "$path" then File.join(@folder, argument)
    when "$open" then File.open(File.join(@folder, argument), "rb")
    when "$text" then File.read(File.join(@folder, argument))
    end
  end
end
