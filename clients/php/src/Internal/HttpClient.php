<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConnectionException;

/**
 * Sends a request once.
 *
 * @internal
 */
interface HttpClient
{
    /** @throws ConnectionException if there is no response */
    public function send(Request $request): RawResponse;
}
