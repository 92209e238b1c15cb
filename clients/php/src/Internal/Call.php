<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConfigurationException;

/**
 * One call of the API: what is sent, and sent again as it was.
 *
 * @internal
 */
final class Call
{
    /** How options are sent. */
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
     * @param string $path as the API has it, such as `/posts/{post_id}`; the ids are put in one after the other
     *
     * @throws ConfigurationException
     */
    public static function of(string $method, string $path, string|int ...$ids): self
    {
        foreach ($ids as $id) {
            // Some server or proxy on the way would take these for a step in the path, and do something else.
            if (\in_array($id, ['', '.', '..'], true)) {
                throw new ConfigurationException("\"$id\" is no id.");
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
     * @param list<string>         $objects those that are objects in JSON; an empty array of PHP's does not say so
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

    public function withForm(Form $form): self
    {
        return $this->withBody($form->type, $form->body);
    }

    public function withHeader(string $name, string $value): self
    {
        return $this->with(headers: [...$this->headers, $name => $value]);
    }

    /**
     * @param array<string, mixed> $options
     * @param string               ...$known those that this call takes
     *
     * @throws ConfigurationException
     */
    public function withOptions(array $options, string ...$known): self
    {
        $unknown = implode(', ', array_diff(array_keys($options), $known));
        if ($unknown !== '') {
            throw new ConfigurationException("{$this->method} {$this->path} takes no option $unknown.");
        }
        if (\in_array('idempotencyKey', $known, true)) {
            $options['idempotencyKey'] ??= self::uuid();
        }
        $headers = $this->headers;
        foreach (array_intersect_key(self::HEADERS, $options) as $option => $header) {
            if ($options[$option] !== null) {
                $headers[$header] = self::headerText($option, $options[$option]);
            }
        }

        return $this->with(headers: $headers);
    }

    /** The path with its query. */
    public function target(): string
    {
        $pairs = [];
        foreach ($this->query as $name => $given) {
            foreach (\is_array($given) ? $given : [$given] as $value) {
                if ($value !== null) {
                    $pairs[] = rawurlencode($name) . '=' . rawurlencode(self::queryText($value));
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
    private static function headerText(string $option, mixed $value): string
    {
        if ($option === 'wait' && \is_int($value)) {
            return "wait=$value";
        }
        if ($option === 'wait' || !\is_string($value) || preg_match('/[\x00-\x1f\x7f]/', $value) === 1) {
            throw new ConfigurationException("The option $option is not one that can be sent.");
        }

        return $value;
    }

    private static function queryText(mixed $value): string
    {
        return match (true) {
            \is_bool($value) => $value ? 'true' : 'false',
            $value instanceof \DateTimeInterface => Time::text($value),
            \is_scalar($value), $value instanceof \Stringable => (string) $value,
            default => throw new ConfigurationException('A query has texts, numbers, truths, times, lists of them.'),
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
