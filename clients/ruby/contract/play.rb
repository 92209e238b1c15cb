# frozen_string_literal: true

# Plays clients/contract/scenario.json through the public face of the library: play.rb SCENARIO
# What it prints, and what it needs from its environment, is in clients/contract/README.md.

require_relative "../lib/blogsvc"
require_relative "player"

$stdout.sync = true
scenario = ARGV.fetch(0)
Player.new(File.dirname(scenario)).play(JSON.parse(File.read(scenario)).fetch("steps"))
