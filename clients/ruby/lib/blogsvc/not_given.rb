# frozen_string_literal: true

module Blogsvc
  # The default of arguments that are not given. nil clears a field instead.
  NOT_GIVEN = Object.new.tap { |one| one.define_singleton_method(:inspect) { "Blogsvc::NOT_GIVEN" } }.freeze
end
