<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 404: the resource does not exist, or no longer exists. */
final class NotFoundException extends ApiException
{
}
