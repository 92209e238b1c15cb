<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 500 and above: the server, or a platform that it called, failed. */
final class ServerException extends ApiException
{
}
