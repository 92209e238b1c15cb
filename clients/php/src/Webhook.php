<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Exception\WebhookSignatureException;
use Blogsvc\Internal\Json;
use Blogsvc\Internal\Secret;
use Blogsvc\Webhook\Message;

/**
 * Verifies webhook messages by the Standard Webhooks specification (https://www.standardwebhooks.com).
 *
 *     $message = (new Webhook('whsec_...'))->verify(file_get_contents('php://input'), getallheaders());
 */
final class Webhook
{
    /** The maximum difference between the timestamp and the current time, in seconds. */
    private const TOLERANCE = 300;

    /** @var list<Secret> the decoded keys */
    private readonly array $keys;

    /**
     * @param string|list<string> $secret the signing secret (`whsec_...`); several while you rotate it
     *
     * @throws ConfigurationException if a secret is missing or invalid
     */
    public function __construct(#[\SensitiveParameter] string|array $secret)
    {
        $this->keys = array_map(self::key(...), array_values((array) $secret));
        if ($this->keys === []) {
            throw new ConfigurationException('No secret. Pass the signing secret of the webhook.');
        }
    }

    /**
     * Verifies a message and returns it. A message may be delivered more than once: use its `webhook-id` to detect
     * duplicates.
     *
     * @param string                             $body    the raw request body; do not parse it first
     * @param array<string, string|list<string>> $headers the request headers, with names in any case
     * @param int|null                           $now     Unix time in seconds; default: the current time
     *
     * @throws WebhookSignatureException if the signature is invalid, or the timestamp is more than five minutes off
     */
    public function verify(string $body, array $headers, ?int $now = null): Message
    {
        $headers = array_change_key_case($headers);
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        $signatures = self::header($headers, 'webhook-signature');
        if (preg_match('/\A\d{1,12}\z/', $timestamp) !== 1) {
            throw new WebhookSignatureException('The header webhook-timestamp is not a Unix time.');
        }
        if (!$this->isSigned("$id.$timestamp.$body", explode(' ', $signatures))) {
            throw new WebhookSignatureException('No signature matches this secret.');
        }
        if (abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE) {
            throw new WebhookSignatureException(
                'The timestamp is more than five minutes off. The message may be a replay, or a clock may be wrong.',
            );
        }

        $document = Json::object($body) ?? throw new WebhookSignatureException('The message is not a JSON object.');

        return new Message($document);
    }

    /** @param list<string> $signatures */
    private function isSigned(string $text, array $signatures): bool
    {
        $isSigned = false;
        foreach ($this->keys as $key) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', $text, $key->reveal(), true));
            foreach ($signatures as $signature) {
                $isSigned = hash_equals($expected, $signature) || $isSigned;
            }
        }

        return $isSigned;
    }

    /** @throws ConfigurationException */
    private static function key(#[\SensitiveParameter] string $secret): Secret
    {
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, \strlen('whsec_')), true) : false;
        if ($key === false || $key === '') {
            throw new ConfigurationException('A webhook secret must be whsec_ followed by Base64.');
        }

        return new Secret($key);
    }

    /**
     * @param array<string, string|list<string>> $headers
     *
     * @throws WebhookSignatureException
     */
    private static function header(array $headers, string $name): string
    {
        $value = $headers[$name] ?? null;
        $value = \is_array($value) ? $value[0] ?? null : $value;
        if (!\is_string($value) || $value === '') {
            throw new WebhookSignatureException("The header $name is missing.");
        }

        return $value;
    }
}
