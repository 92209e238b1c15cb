<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** The signature of a webhook message is invalid, or its timestamp is outside the tolerance. */
final class WebhookSignatureException extends BlogsvcException
{
}
