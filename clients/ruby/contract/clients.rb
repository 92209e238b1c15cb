# frozen_string_literal: true

require "pp" # rubocop:disable Lint/RedundantRequireStatement -- of itself it brings pp, and no pretty_inspect
require "yaml"
require_relative "paths"

# The clients of a scenario, each with its log.
class Clients
  FORMS = [
    :inspect, :to_s, :pretty_inspect, :to_json, :as_json,
    ->(client) { client.posts.inspect }, ->(client) { Marshal.dump(client) }, ->(client) { YAML.dump(client) },
    ->(client) { client.instance_variables.map { |name| client.instance_variable_get(name).inspect }.join }
  ].freeze

  def initialize
    @clients = {}
    @keys = {}
    @logs = {}
    make("main", options: { "maxRetries" => 8 })
  end

  def make(name, key: ENV.fetch("BLOGSVC_API_KEY"), url: ENV.fetch("BLOGSVC_URL"), options: {})
    @keys[name] = key
    log = @logs[name] = []
    @clients[name] = Blogsvc::Client.new(api_key: key, base_url: url, log: log.method(:<<), **named(options))
  end

  def key(name) = @keys.fetch(name)

  # Calls a method with its ids, its fields and its options.
  def call(step, variables, &progress)
    client = @clients.fetch(step.fetch("client", "main"))
    *resource, method = step["call"].split(".").map { |name| Paths.snake(name) }
    receiver = resource.reduce(client) { |one, name| one.public_send(name) }
    ids = variables.filled(step.fetch("ids", []))
    fields = named(variables.filled(step.fetch("with", {}))).merge(named(variables.filled(step.fetch("options", {}))))
    # Only waiting has a progress to tell of; with a block, a stream would not be an enumerator.
    receiver.public_send(method, *ids, **fields, &(progress if method == :wait))
  end

  # What was logged since this was asked last.
  def told(name)
    entries = @logs.fetch(name).dup
    @logs[name].clear
    entries.map do |entry|
      result = entry[:status] || Paths.kind(entry[:error])
      [entry[:method], entry[:attempt], result, ("again" if entry[:retry_in])].compact.join(" ")
    end
  end

  # Whether no text form of a client holds its key. One that cannot be made holds nothing.
  def hidden?(name)
    FORMS.none? do |form|
      form.to_proc.call(@clients.fetch(name)).include?(key(name))
    rescue TypeError
      false
    end
  end

  private

  def named(fields) = fields.transform_keys { |name| Paths.snake(name) }
end
