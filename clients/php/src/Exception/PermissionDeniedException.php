<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 403: the key lacks the required scope. */
final class PermissionDeniedException extends ApiException
{
}
