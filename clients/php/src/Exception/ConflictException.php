<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Internal\Answer;

/** 409: its state does not allow this. */
final class ConflictException extends ApiException
{
    /** Where it stands. */
    public readonly ?string $state;

    /** @var list<string>|null the moves that are allowed from there */
    public readonly ?array $allowed;

    protected function __construct(Answer $answer)
    {
        parent::__construct($answer);
        $this->state = $this->text('state');
        $allowed = $this->problem['allowed'] ?? null;
        $this->allowed = \is_array($allowed) ? $allowed : null;
    }
}
