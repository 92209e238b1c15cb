<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

/** A message is not genuine, or too old or too new to be taken for it. */
final class WebhookSignatureException extends BlogsvcException
{
}
