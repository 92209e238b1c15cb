<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 412: somebody else changed it since `ifMatch`. */
final class PreconditionFailedException extends ApiException
{
}
