<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * The default of an argument for which null is an error, so that a missing setting does not select the default.
 *
 * @internal
 */
enum NotGiven
{
    case Value;
}
