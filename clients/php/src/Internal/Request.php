<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConfigurationException;

/**
 * A request to the API. Every attempt sends the same request.
 *
 * @internal
 */
final class Request
{
    /** The headers of options. */
    private const HEADERS = [
        'idempotencyKey' => 'Idempotency-Key',
        'ifMatch' => 'If-Match',
        'ifNoneMatch' => 'If-None-Match',
        'wait' => 'Prefer',
    ];

    /**
     * @param array<string, mixed>  $query
     * @param array<string, string> $headers
     */
    private function __construct(
        public readonly string $method,
        private readonly string $path,
        private readonly array $query = [],
        public readonly array $headers = ['Accept' => 'application/json, application/problem+json'],
        public readonly ?string $body = null,
    ) {
    }

    /**
     * @param string $path a path template, such as `/posts/{post_id}`; the ids replace its parameters in order
     *
     * @throws ConfigurationException
     */
    public static function create(string $method, string $path, string|int ...$ids): self
    {
        foreach ($ids as $id) {
            // Servers and proxies resolve `.` and `..`, and an empty id would be another operation.
            if (\in_array($id, ['', '.', '..'], true)) {
                throw new ConfigurationException("\"$id\" is not a valid id.");
            }
            $path = preg_replace_callback('/\{\w+\}/', static fn (): string => rawurlencode((string) $id), $path, 1);
        }

        return new self($method, $path);
    }

    /** @param array<string, mixed> $fields */
    public function withQuery(array $fields): self
    {
        return $this->with(query: [...$this->query, ...$fields]);
    }

    /**
     * @param array<string, mixed> $fields
     * @param list<string>         $objects fields that are JSON objects, since PHP encodes an empty array as a list
     *
     * @throws ConfigurationException
     */
    public function withJson(array $fields, array $objects = []): self
    {
        foreach ($objects as $name) {
            if (($fields[$name] ?? null) === []) {
                $fields[$name] = new \stdClass();
            }
        }

        return $this->withBody('application/json', Json::encode((object) $fields));
    }

    public function withForm(MultipartForm $form): self
    {
        return $this->withBody($form->type, $form->body);
    }

    public function withHeader(string $name, string $value): self
    {
        return $this->with(headers: [...$this->headers, $name => $value]);
    }

    /**
     * @param array<string, mixed> $options
     * @param string               ...$known the options that this method accepts
     *
     * @throws ConfigurationException
     */
    public function withOptions(array $options, string ...$known): self
    {
        $unknown = implode(', ', array_diff(array_keys($options), $known));
        if ($unknown !== '') {
            throw new ConfigurationException(\sprintf(
                'Unknown option %s for %s %s. Valid options: %s.',
                $unknown,
                $this->method,
                $this->path,
                implode(', ', $known),
            ));
        }
        if (\in_array('idempotencyKey', $known, true)) {
            $options['idempotencyKey'] ??= self::uuid();
        }
        $headers = $this->headers;
        foreach (array_intersect_key(self::HEADERS, $options) as $option => $header) {
            if ($options[$option] !== null) {
                $headers[$header] = self::encodeHeader($option, $options[$option]);
            }
        }

        $dryRun = $options['dryRun'] ?? null;
        if ($dryRun !== null && !\is_bool($dryRun)) {
            throw new ConfigurationException('The option dryRun has an invalid value.');
        }

        return $this->with(query: [...$this->query, 'dryRun' => $dryRun], headers: $headers);
    }

    public function idempotencyKey(): ?string
    {
        return $this->headers['Idempotency-Key'] ?? null;
    }

    /** Returns the path with its query. */
    public function target(): string
    {
        $pairs = [];
        foreach ($this->query as $name => $values) {
            foreach (\is_array($values) ? $values : [$values] as $value) {
                if ($value !== null) {
                    $pairs[] = rawurlencode($name) . '=' . rawurlencode(self::encodeQueryValue($value));
                }
            }
        }

        return $this->path . ($pairs === [] ? '' : '?' . implode('&', $pairs));
    }

    private function withBody(string $type, string $body): self
    {
        return $this->with(headers: [...$this->headers, 'Content-Type' => $type], body: $body);
    }

    /**
     * @param array<string, mixed>|null  $query
     * @param array<string, string>|null $headers
     */
    private function with(?array $query = null, ?array $headers = null, ?string $body = null): self
    {
        return new self(
            $this->method,
            $this->path,
            $query ?? $this->query,
            $headers ?? $this->headers,
            $body ?? $this->body,
        );
    }

    /** @throws ConfigurationException */
    private static function encodeHeader(string $option, mixed $value): string
    {
        if ($option === 'wait' && \is_int($value)) {
            return "wait=$value";
        }
        if ($option === 'wait' || !\is_string($value) || preg_match('/[\x00-\x1f\x7f]/', $value) === 1) {
            throw new ConfigurationException("The option $option has an invalid value.");
        }

        return $value;
    }

    private static function encodeQueryValue(mixed $value): string
    {
        return match (true) {
            \is_bool($value) => $value ? 'true' : 'false',
            $value instanceof \DateTimeInterface => Time::format($value),
            \is_scalar($value), $value instanceof \Stringable => (string) $value,
            default => throw new ConfigurationException('A query value must be a scalar, a time or a list.'),
        };
    }

    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = \chr(\ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = \chr(\ord($bytes[8]) & 0x3f | 0x80);

        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
