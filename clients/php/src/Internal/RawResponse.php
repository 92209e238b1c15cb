<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Response;

/**
 * A response with its body as text.
 *
 * @internal
 */
final class RawResponse
{
    public function __construct(public readonly Response $response, private readonly string $body = '')
    {
    }

    /** Returns the body as a JSON object, or null if it is anything else. */
    public function document(): ?\stdClass
    {
        return Json::object($this->body);
    }
}
