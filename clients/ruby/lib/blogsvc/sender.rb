# frozen_string_literal: true

module Blogsvc
  # Sends requests until they are answered, or it is no use.
  # @api private
  class Sender
    # @param options [Options]
    def initialize(options)
      @transport = Transport.new(options)
      @retries = Retries.new(options)
      @log = AttemptLog.new(options)
      freeze
    end

    # @return [Record, nil] nil where there is nothing to say
    # @raise [ConnectionError, APIError]
    def call(request)
      was_lost = false
      (0..).each do |done|
        started = now
        outcome = @transport.call(request)
        pause = @retries.wait(request, outcome, done)
        @log.tell(request, done + 1, outcome, now - started, pause)
        return conclude(request, outcome, was_lost) unless pause

        was_lost ||= lost?(outcome)
        sleep(pause)
      end
    end

    # Yields each part of a stream, for ever: where it breaks off, what `ask` answers next is sent.
    # The first connection is tried as often as any request, so that a wrong address is told of.
    # @param ask [#call] answers the {Request}
    # @raise [ConnectionError, APIError]
    def listen(ask, &each_part)
      done = 0
      has_stood = false
      (0..).each do
        request = ask.call
        started = now
        opened = lambda do |response|
          @log.tell(request, done + 1, Answer.new(response, ""), now - started)
          done = 0
          has_stood = true
        end
        outcome = @transport.stream(request, opened, &each_part)
        pause = @retries.wait(request, outcome, done, endless: has_stood)
        @log.tell(request, done + 1, outcome, now - started, pause)
        fail_with(request, outcome) unless pause

        done += 1
        sleep(pause)
      end
    end

    private

    def conclude(request, outcome, was_lost)
      fail_with(request, outcome) unless outcome.is_a?(Answer)
      # The attempt whose answer was lost has deleted it.
      return if was_lost && request.deletes? && outcome.status == 404

      outcome.record
    end

    def fail_with(request, outcome)
      raise outcome.error if outcome.is_a?(Answer)
      raise outcome unless request.conditional? && outcome.sent?

      raise outcome.exception(
        "#{outcome.message} It may have been done, and was not sent again, for then if_match would be against " \
        "our own change: read what there is before you try again."
      )
    end

    def lost?(outcome) = outcome.is_a?(ConnectionError) && outcome.sent?

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
  private_constant :Sender
end
