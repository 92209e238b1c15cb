# frozen_string_literal: true

require_relative "lib/blogsvc/version"

Gem::Specification.new do |spec|
  spec.name = "blogsvc"
  spec.version = Blogsvc::VERSION
  spec.authors = ["The blogsvc authors"]
  spec.summary = "The official Ruby client for blogsvc."
  spec.description = <<~TEXT
    Write, schedule and publish posts on your own blog and on other platforms, track deliveries, read analytics, and
    receive events. No dependencies.
  TEXT
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = {
    "keywords" => "blogsvc, blog, publishing, scheduling, crossposting, api, client, sdk, webhooks",
    "rubygems_mfa_required" => "true"
  }
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "sig/**/*.rbs", "*.md", "LICENSE"] }
end
