<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Internal\RawResponse;

/** 409: the state of the resource does not allow the operation. */
final class ConflictException extends ApiException
{
    /** The current state of the resource. */
    public readonly ?string $state;

    /** @var list<string>|null the transitions that the current state allows */
    public readonly ?array $allowed;

    protected function __construct(RawResponse $raw, ?string $idempotencyKey)
    {
        parent::__construct($raw, $idempotencyKey);
        $this->state = $this->stringField('state');
        $allowed = $this->problem['allowed'] ?? null;
        $this->allowed = \is_array($allowed) ? $allowed : null;
    }
}
