<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Record\Post;

/** A post had not settled when the time was over. It goes on all the same. */
final class WaitTimeoutException extends BlogsvcException
{
    /** @param Post $post as it was last */
    public function __construct(string $message, public readonly Post $post)
    {
        parent::__construct($message);
    }
}
