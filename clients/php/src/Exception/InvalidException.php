<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 422: the request is invalid. `errors` lists every problem. */
final class InvalidException extends ApiException
{
}
