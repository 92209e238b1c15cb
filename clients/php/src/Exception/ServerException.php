<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** 500 and above: the fault is on the other side. */
final class ServerException extends ApiException
{
}
