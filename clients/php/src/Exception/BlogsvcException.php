<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** The base class of all exceptions of this library. */
abstract class BlogsvcException extends \RuntimeException
{
    /**
     * @param string|null $idempotencyKey the idempotency key of the request, if it had one; the same request with this
     *     key is carried out only once
     */
    public function __construct(string $message, int $code = 0, public readonly ?string $idempotencyKey = null)
    {
        parent::__construct($message, $code);
    }
}
