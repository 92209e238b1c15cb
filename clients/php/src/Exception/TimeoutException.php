<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** There was no response within the timeout. */
final class TimeoutException extends ConnectionException
{
}
