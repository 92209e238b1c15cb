<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** No key, no address, plain HTTP, or what cannot be sent: nothing was sent. */
final class ConfigurationException extends BlogsvcException
{
}
