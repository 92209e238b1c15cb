# frozen_string_literal: true

require "pp" # rubocop:disable Lint/RedundantRequireStatement -- Ruby loads pp by itself, but not pretty_inspect
require "yaml"
require_relative "paths"

# The clients of a scenario, each with its log.
class Clients
  # Everything that turns a client into text.
  TEXTS = [
    :inspect, :to_s, :pretty_inspect, :to_json, :as_json,
    ->(client) { client.posts.inspect }, ->(client) { Marshal.dump(client) }, ->(client) { YAML.dump(client) },
    ->(client) { client.instance_variables.map { |name| client.instance_variable_get(name).inspect }.join }
  ].freeze

  def initialize
    @clients = {}
    @keys = {}
    @logs = {}
    create("main", options: { "retryFor" => 120 })
  end

  def create(name, key: ENV.fetch("BLOGSVC_API_KEY"), url: ENV.fetch("BLOGSVC_URL"), options: {})
    @keys[name] = key
    log = @logs[name] = []
    @clients[name] = Blogsvc::Client.new(api_key: key, base_url: url, log: log.method(:<<), **arguments(options))
  end

  def key(name) = @keys.fetch(name)

  # Calls a method with its arguments, fields and options.
  def call(step, variables, &progress)
    client = @clients.fetch(step.fetch("client", "main"))
    *resource, method = step["call"].split(".").map { |name| Paths.snake_case(name) }
    receiver = resource.reduce(client) { |one, name| one.public_send(name) }
    args = variables.fill(step.fetch("args", []))
    keywords = %w[fields options].map { |key| arguments(variables.fill(step.fetch(key, {}))) }.reduce(:merge)
    # Only wait gets a block: with one, a stream would not return an enumerator.
    receiver.public_send(method, *args, **keywords, &(progress if method == :wait))
  end

  # Returns the log lines since the last call.
  def take_log(name)
    entries = @logs.fetch(name).dup
    @logs[name].clear
    entries.map do |entry|
      outcome = entry[:status] || Paths.error_kind(entry[:error])
      [entry[:method], entry[:attempt], outcome, ("retry" if entry[:retry_in])].compact.join(" ")
    end
  end

  # Returns true if no text of a client contains its key.
  def hidden?(name)
    TEXTS.none? do |text|
      text.to_proc.call(@clients.fetch(name)).include?(key(name))
    rescue TypeError
      false
    end
  end

  private

  def arguments(fields) = fields.transform_keys { |name| Paths.snake_case(name) }
end
