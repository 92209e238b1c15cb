<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What is wrong with a field (`pointer`) or a parameter of the query (`parameter`).
 *
 * @property-read string|null $pointer
 * @property-read string|null $parameter
 * @property-read string $code
 * @property-read string $detail
 * @property-read string|null $platform
 * @property-read string|null $rule
 * @property-read string|null $remediation
 */
final class ProblemError extends Record
{
}
