<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 422: what is wrong with it is in `errors`, all at once. */
final class InvalidException extends ApiException
{
}
