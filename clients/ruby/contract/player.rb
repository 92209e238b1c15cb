# frozen_string_literal: true

require "json"
require_relative "clients"
require_relative "paths"
require_relative "variables"

# Plays steps, and prints a line for each.
class Player
  # A call or a stream may name its client, so what makes one is known last.
  KINDS = %w[call walk pages stream harness verify log text client].freeze

  def initialize(folder)
    @variables = Variables.new(folder)
    @clients = Clients.new
  end

  def play(steps) = steps.each { |step| play_one(step) }

  private

  def play_one(step)
    kind = KINDS.find { |one| step.key?(one) }
    shown = send(:"play_#{kind}", step)
    puts "#{step["does"]}: #{shown}" if shown
  rescue Blogsvc::Error => error
    puts "#{step["does"]}: #{told(error, step)}"
  end

  def told(error, step)
    slug = error.slug if error.respond_to?(:slug)
    status = error.status if error.respond_to?(:status)
    faults = error.respond_to?(:errors) ? error.errors : []
    words = faults.map { |fault| "#{fault["pointer"] || fault["parameter"]}:#{fault["code"]}" }
    key = @clients.key(step.fetch("client", "main"))
    ["!", Paths.kind(error.class), status, slug, *words, *shown(error, step, key:)].compact.join(" ")
  end

  def play_call(step)
    progress = 0
    answer = @clients.call(step, @variables) { progress += 1 }
    kept_and_shown(answer, step, progress:)
  end

  def play_client(step)
    @clients.make(step["client"], **@variables.filled(step.slice("key", "url", "options")).transform_keys(&:to_sym))
    nil
  end

  def play_walk(step) = rows(@clients.call(call_of(step, "walk"), @variables), step)

  def play_pages(step)
    pages = @clients.call(call_of(step, "pages"), @variables).pages
    "pages=#{JSON.generate(pages.map { |page| page.data.length })}"
  end

  def play_stream(step)
    call = { "call" => "events.stream", "with" => step["stream"], "client" => step.fetch("client", "main") }
    rows(@clients.call(call, @variables), step)
  end

  def call_of(step, kind) = step.merge("call" => step[kind])

  # What the rows hold at a path; after some of them other steps come first.
  def rows(answer, step)
    found = []
    answer.each do |row|
      found << Paths.value(row, step["row"])
      play(step.fetch("at", {}).fetch(found.length.to_s, []))
      break if found.length == step["until"]
    end
    "rows=#{JSON.generate(found)}"
  end

  def play_harness(step)
    puts "@#{@variables.filled(step["harness"])}"
    answer = JSON.parse($stdin.gets)
    shown = kept_and_shown(answer, step)
    shown if step.key?("show")
  end

  def play_verify(step)
    message = @variables.filled(step["verify"])
    webhook = Blogsvc::Webhook.new(message["secret"])
    kept_and_shown(webhook.verify(message["body"], message["headers"], now: message["now"]), step)
  end

  def play_log(step) = "log=#{JSON.generate(@clients.told(step["log"]))}"

  def play_text(step) = "hidden=#{@clients.hidden?(step["text"])}"

  def kept_and_shown(answer, step, **more)
    step.fetch("keep", {}).each { |name, path| @variables[name] = Paths.value(answer, path, raw: true) }
    words = shown(answer, step, **more)
    words.empty? ? "done" : words.join(" ")
  end

  def shown(value, step, **more)
    step.fetch("show", []).map { |path| "#{path}=#{JSON.generate(Paths.value(value, path, **more))}" }
  end
end
