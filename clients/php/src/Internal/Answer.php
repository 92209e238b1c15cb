<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Response;

/**
 * What a server answered, as it came.
 *
 * @internal
 */
final class Answer
{
    public function __construct(public readonly Response $response, private readonly string $body = '')
    {
    }

    /** The JSON object that it is, or null. */
    public function document(): ?\stdClass
    {
        return Json::object($this->body);
    }
}
