# frozen_string_literal: true

module Blogsvc
  # The version of this library. See CHANGELOG.md.
  VERSION = "0.1.0"
end
