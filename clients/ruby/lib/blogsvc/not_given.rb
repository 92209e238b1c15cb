# frozen_string_literal: true

module Blogsvc
  # What stands for an argument that is not given, since nil clears a field.
  NOT_GIVEN = Object.new.tap { |one| one.define_singleton_method(:inspect) { "Blogsvc::NOT_GIVEN" } }.freeze
end
