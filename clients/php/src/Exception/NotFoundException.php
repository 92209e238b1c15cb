<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 404: there is no such thing, or no more. */
final class NotFoundException extends ApiException
{
}
