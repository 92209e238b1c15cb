<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** The base class of all exceptions of this library. */
abstract class BlogsvcException extends \RuntimeException
{
}
