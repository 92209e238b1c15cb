<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** No answer came. Whether it was done is not known, unless the request was safe to repeat or `mayBeDone` is false. */
class ConnectionException extends BlogsvcException
{
    /** @param bool $mayBeDone false where the server cannot have had the request */
    final public function __construct(string $message, public readonly bool $mayBeDone = true)
    {
        parent::__construct($message);
    }
}
