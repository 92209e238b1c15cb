<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 400: it could not be read. */
final class BadRequestException extends ApiException
{
}
