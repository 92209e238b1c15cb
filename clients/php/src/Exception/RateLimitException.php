<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Internal\Answer;

/** 429: too many requests; `retryAfter` says when there may be another. */
final class RateLimitException extends ApiException
{
    /** Which limit it was: `read`, `write`, `publish`. */
    public readonly ?string $tier;

    /** How many a minute that one allows. */
    public readonly ?int $limit;

    protected function __construct(Answer $answer)
    {
        parent::__construct($answer);
        $this->tier = $this->text('tier');
        $limit = $this->problem['limit'] ?? null;
        $this->limit = \is_int($limit) ? $limit : null;
    }
}
