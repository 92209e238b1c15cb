<?php

// Generated from the OpenAPI document by `make clients`: change it there.

declare(strict_types=1);

namespace Blogsvc\Record;

use Blogsvc\Record;

/**
 * What is connected, and what can be.
 *
 * @property-read list<Connection> $connected
 * @property-read list<Connector> $available
 */
final class Platforms extends Record
{
    protected const RECORDS = [
        'connected' => Connection::class,
        'available' => Connector::class,
    ];
}
