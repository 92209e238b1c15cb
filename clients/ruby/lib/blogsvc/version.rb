# frozen_string_literal: true

module Blogsvc
  # By Semantic Versioning; CHANGELOG.md tells what came when.
  VERSION = "0.1.0"
end
