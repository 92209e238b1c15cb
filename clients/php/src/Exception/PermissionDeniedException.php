<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 403: the key has not the scope that is needed. */
final class PermissionDeniedException extends ApiException
{
}
