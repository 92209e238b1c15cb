# frozen_string_literal: true

module Blogsvc
  # Whether a request is sent again, and when.
  # @api private
  class Retries
    # Seconds; each pause may be twice as long as the one before.
    FIRST_PAUSE = 0.5
    LONGEST_PAUSE = 8
    private_constant :FIRST_PAUSE, :LONGEST_PAUSE

    # @param options [Options]
    def initialize(options)
      @options = options
      freeze
    end

    # @param outcome [Answer, ConnectionError]
    # @param done [Integer] how many retries there were before
    # @param endless [Boolean] whether it is tried for ever
    # @return [Numeric, nil] how many seconds to wait before it is sent again; nil where it is not
    def wait(request, outcome, done, endless: false)
      return unless endless || done < @options.max_retries
      return unless repeatable?(request, outcome)

      asked = asked_wait(outcome)
      return pause(done) unless asked

      asked if asked <= @options.max_retry_wait
    end

    private

    def repeatable?(request, outcome)
      return outcome.passing? if outcome.is_a?(Answer)

      # Once more, it could be refused for the very change that it made.
      !(request.conditional? && outcome.sent?)
    end

    def asked_wait(outcome) = (outcome.retry_after if outcome.is_a?(Answer))

    def pause(done) = rand(0.5..1.0) * [LONGEST_PAUSE, FIRST_PAUSE * (2**[done, 10].min)].min
  end
  private_constant :Retries
end
