<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Record\Post;

/** The post has not finished publishing in time. Publishing continues on the server. */
final class WaitTimeoutException extends BlogsvcException
{
    /** @param Post $post the last known state of the post */
    public function __construct(string $message, public readonly Post $post)
    {
        parent::__construct($message);
    }
}
