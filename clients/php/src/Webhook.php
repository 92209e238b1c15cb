<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Exception\WebhookSignatureException;
use Blogsvc\Internal\Json;
use Blogsvc\Internal\Secret;
use Blogsvc\Webhook\Message;

/**
 * Tells genuine messages of a webhook from others, by the Standard Webhooks specification.
 *
 *     $message = (new Webhook('whsec_...'))->verify(file_get_contents('php://input'), getallheaders());
 */
final class Webhook
{
    /** Seconds that a message may be old, or ahead of our clock. */
    private const TOLERANCE = 300;

    /** @var list<Secret> the keys, as bytes */
    private readonly array $keys;

    /**
     * @param string|list<string> $secret `whsec_...`; several for the time of a rotation
     *
     * @throws ConfigurationException where it is no such secret
     */
    public function __construct(#[\SensitiveParameter] string|array $secret)
    {
        $this->keys = array_map(self::key(...), array_values((array) $secret));
        if ($this->keys === []) {
            throw new ConfigurationException('There is no secret.');
        }
    }

    /**
     * The message, if it is genuine.
     *
     * @param string                             $body    the bytes as they came, before anything parsed them
     * @param array<string, string|list<string>> $headers of the request, their names in any case
     * @param int|null                           $now     in seconds since 1970; else the clock's
     *
     * @throws WebhookSignatureException where it is not, or is older or newer than 5 minutes
     */
    public function verify(string $body, array $headers, ?int $now = null): Message
    {
        $headers = array_change_key_case($headers);
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        $signatures = self::header($headers, 'webhook-signature');
        if (preg_match('/\A\d{1,12}\z/', $timestamp) !== 1) {
            throw new WebhookSignatureException('The header webhook-timestamp is no time.');
        }
        if (!$this->isSigned("$id.$timestamp.$body", explode(' ', $signatures))) {
            throw new WebhookSignatureException('No signature fits: it is not genuine, or its secret is another.');
        }
        if (abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE) {
            throw new WebhookSignatureException('It is too old or too new: it is repeated, or a clock is wrong.');
        }

        $document = Json::object($body) ?? throw new WebhookSignatureException('The message is no JSON object.');

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
            throw new ConfigurationException('A secret of a webhook is whsec_ and Base64.');
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
