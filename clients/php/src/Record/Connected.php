<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * `generated` are the secrets that were made here, which are shown this once; often none.
 *
 * @property-read string $name
 * @property-read string $connector
 * @property-read string $label
 * @property-read string $kind
 * @property-read string $account
 * @property-read string|null $accountUrl
 * @property-read string $health ok, failing, disconnected
 * @property-read string|null $lastError
 * @property-read Record $settings
 * @property-read \DateTimeImmutable|null $verifiedAt
 * @property-read \DateTimeImmutable|null $createdAt
 * @property-read Record $generated
 */
final class Connected extends Record
{
    protected const TIMES = ['verifiedAt', 'createdAt'];
}
