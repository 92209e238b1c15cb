# frozen_string_literal: true

# Runs clients/contract/scenario.json with the public API of the library: run_scenario.rb SCENARIO
# See clients/contract/README.md for the output and the environment variables.

require_relative "../lib/blogsvc"
require_relative "scenario_runner"

$stdout.sync = true
scenario = ARGV.fetch(0)
ScenarioRunner.new(File.dirname(scenario)).run(JSON.parse(File.read(scenario)).fetch("steps"))
