<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 400: the server could not parse the request. */
final class BadRequestException extends ApiException
{
}
