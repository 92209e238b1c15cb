<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** Whatever this library throws of its own. */
abstract class BlogsvcException extends \RuntimeException
{
}
