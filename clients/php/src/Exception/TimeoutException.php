<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** No answer came in time. */
final class TimeoutException extends ConnectionException
{
}
