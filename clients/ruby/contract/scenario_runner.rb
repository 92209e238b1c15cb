# frozen_string_literal: true

require "json"
require_relative "clients"
require_relative "paths"
require_relative "variables"

# Runs steps and prints a line for each.
class ScenarioRunner
  # `client` is last, since other steps use it to name their client.
  KINDS = %w[call iterate pages stream harness verify log inspect client].freeze

  def initialize(folder)
    @variables = Variables.new(folder)
    @clients = Clients.new
  end

  def run(steps) = steps.each { |step| run_step(step) }

  private

  def run_step(step)
    kind = KINDS.find { |one| step.key?(one) }
    output = send(:"run_#{kind}", step)
    puts "#{step["name"]}: #{output}" if output
  rescue Blogsvc::Error => error
    save(error, step)
    puts "#{step["name"]}: #{error_line(error, step)}"
  end

  def error_line(error, step)
    slug = error.slug if error.respond_to?(:slug)
    status = error.status if error.respond_to?(:status)
    errors = error.respond_to?(:errors) ? error.errors : []
    fields = errors.map { |field| "#{field["pointer"] || field["parameter"]}:#{field["code"]}" }
    key = @clients.key(step.fetch("client", "main"))
    ["!", Paths.error_kind(error.class), status, slug, *fields, *show(error, step, key:)].compact.join(" ")
  end

  def run_call(step)
    progress = 0
    result = @clients.call(step, @variables) { progress += 1 }
    save_and_show(result, step, progress:)
  end

  def run_client(step)
    @clients.create(step["client"], **@variables.fill(step.slice("key", "url", "options")).transform_keys(&:to_sym))
    nil
  end

  def run_iterate(step) = rows(@clients.call(call_of(step, "iterate"), @variables), step)

  def run_pages(step)
    pages = @clients.call(call_of(step, "pages"), @variables).pages
    "pages=#{JSON.generate(pages.map { |page| page.data.length })}"
  end

  def run_stream(step)
    call = { "call" => "events.stream", "fields" => step["stream"], "client" => step.fetch("client", "main") }
    rows(@clients.call(call, @variables), step)
  end

  def call_of(step, kind) = step.merge("call" => step[kind])

  # Iterates over a list or a stream and runs the steps after some rows.
  def rows(source, step)
    values = []
    source.each do |row|
      values << Paths.value(row, step["row"])
      run(step.fetch("stepsAfter", {}).fetch(values.length.to_s, []))
      break if values.length == step["until"]
    end
    "rows=#{JSON.generate(values)}"
  end

  def run_harness(step)
    puts "@#{@variables.fill(step["harness"])}"
    reply = JSON.parse($stdin.gets)
    output = save_and_show(reply, step)
    output if step.key?("show")
  end

  def run_verify(step)
    message = @variables.fill(step["verify"])
    webhook = Blogsvc::Webhook.new(message["secret"])
    save_and_show(webhook.verify(message["body"], message["headers"], now: message["now"]), step)
  end

  def run_log(step) = "log=#{JSON.generate(@clients.take_log(step["log"]))}"

  def run_inspect(step) = "hidden=#{@clients.hidden?(step["inspect"])}"

  def save_and_show(result, step, **context)
    save(result, step)
    parts = show(result, step, **context)
    parts.empty? ? "done" : parts.join(" ")
  end

  def save(result, step)
    step.fetch("save", {}).each { |name, path| @variables[name] = Paths.value(result, path, raw: true) }
  end

  def show(result, step, **context)
    step.fetch("show", []).map { |path| "#{path}=#{JSON.generate(Paths.value(result, path, **context))}" }
  end
end
