# frozen_string_literal: true

require_relative "lib/blogsvc/version"

Gem::Specification.new do |spec|
  spec.name = "blogsvc"
  spec.version = Blogsvc::VERSION
  spec.authors = ["The blogsvc authors"]
  spec.summary = "The official client of blogsvc: write once, publish everywhere."
  spec.description = <<~TEXT
    Write, schedule and publish posts on your own blog and on the platforms that are connected to it, follow where each
    copy got, read the figures, and be told of events: the API of blogsvc in Ruby, without any dependency.
  TEXT
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = {
    "keywords" => "blog, publishing, scheduling, crossposting, markdown, webhooks",
    "rubygems_mfa_required" => "true"
  }
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "sig/**/*.rbs", "*.md", "LICENSE"] }
end
