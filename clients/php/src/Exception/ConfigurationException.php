<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** An option or argument is missing or invalid. No request was sent. */
final class ConfigurationException extends BlogsvcException
{
}
