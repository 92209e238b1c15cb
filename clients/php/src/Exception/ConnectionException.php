<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** There was no response. If `wasSent` is true, the server may have carried out the request. */
class ConnectionException extends BlogsvcException
{
    /** @param bool $wasSent false if there was no connection, so that the server did not carry out the request */
    final public function __construct(
        string $message,
        public readonly bool $wasSent = true,
        ?string $idempotencyKey = null,
    ) {
        parent::__construct($message, idempotencyKey: $idempotencyKey);
    }
}
