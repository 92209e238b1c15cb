<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What is connected. Secrets never come out.
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
 */
final class Connection extends Record
{
    protected const TIMES = ['verifiedAt', 'createdAt'];
}
