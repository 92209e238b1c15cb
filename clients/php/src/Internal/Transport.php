<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ApiException;
use Blogsvc\Exception\ConnectionException;
use Blogsvc\Exception\NotFoundException;
use Blogsvc\Response;

/**
 * Sends a call until there is an answer that counts.
 *
 * @internal
 */
final class Transport
{
    public function __construct(
        private readonly Sender $sender,
        private readonly Retries $retries,
        private readonly AttemptLog $log,
    ) {
    }

    /**
     * @throws ApiException
     * @throws ConnectionException
     */
    public function send(Call $call): Answer
    {
        $wasLost = false;
        for ($attempt = 1;; ++$attempt) {
            $began = hrtime(true);
            $answer = $failure = null;
            try {
                $answer = $this->sender->send($call);
                $failure = self::fault($call, $answer);
            } catch (ConnectionException $failure) {
            }
            $pause = $failure === null ? null : $this->pause($call, $failure, $attempt);
            $this->log->tell($call, $attempt, $began, $answer?->response, $failure, $pause);
            if ($failure === null) {
                return $answer;
            }
            if ($failure instanceof NotFoundException && $wasLost && $call->method === 'DELETE') {
                // It is away since the attempt whose answer was lost.
                return new Answer(new Response(204, $failure->headers));
            }
            if ($pause === null) {
                throw self::explained($call, $failure);
            }
            $wasLost = $wasLost || $failure instanceof ConnectionException;
            Time::pass($pause);
        }
    }

    private function pause(Call $call, ApiException|ConnectionException $failure, int $attempt): ?float
    {
        if ($attempt > $this->retries->most || self::mayNotBeRepeated($call, $failure)) {
            return null;
        }

        return $this->retries->pause($failure, $attempt);
    }

    /** Sent again after it was done, it would be refused for the change that it made itself. */
    private static function mayNotBeRepeated(Call $call, ApiException|ConnectionException $failure): bool
    {
        return $failure instanceof ConnectionException && $failure->mayBeDone && isset($call->headers['If-Match']);
    }

    private static function fault(Call $call, Answer $answer): ?ApiException
    {
        $status = $answer->response->status;
        $isGood = match (true) {
            $status === 304 => isset($call->headers['If-None-Match']),
            $status === 204 => $call->method === 'DELETE',
            default => $status >= 200 && $status < 300 && $answer->document() !== null,
        };

        return $isGood ? null : ApiException::of($answer);
    }

    private static function explained(
        Call $call,
        ApiException|ConnectionException $failure,
    ): ApiException|ConnectionException {
        if ($failure instanceof ApiException) {
            return $failure;
        }
        $words = "No answer to {$call->method} {$call->target()}: {$failure->getMessage()}";
        if (self::mayNotBeRepeated($call, $failure)) {
            $words .= ' It may be done, and with ifMatch it is not sent again: read it to know.';
        }

        return new ($failure::class)($words, $failure->mayBeDone);
    }
}
