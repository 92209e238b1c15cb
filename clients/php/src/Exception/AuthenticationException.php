<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 401: the key is missing, unknown, expired or revoked. */
final class AuthenticationException extends ApiException
{
}
