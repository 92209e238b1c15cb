<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 412: the resource has changed since `ifMatch`. */
final class PreconditionFailedException extends ApiException
{
}
