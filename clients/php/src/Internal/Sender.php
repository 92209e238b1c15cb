<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConnectionException;

/**
 * Sends a call once.
 *
 * @internal
 */
interface Sender
{
    /** @throws ConnectionException where no answer came */
    public function send(Call $call): Answer;
}
