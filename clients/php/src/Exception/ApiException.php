<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Internal\RawResponse;
use Blogsvc\Internal\Time;
use Blogsvc\Record\Problem;
use Blogsvc\Record\ProblemError;

/** The API returned an error, or a response that cannot be decoded. */
class ApiException extends BlogsvcException
{
    public readonly int $status;

    /** The URL of the page that documents this problem type. */
    public readonly ?string $type;

    /** The last part of `type`, which identifies the problem type, for example `state-conflict`. */
    public readonly ?string $slug;

    /** A short summary of the problem type. */
    public readonly ?string $title;

    /** What went wrong with this request, and how to fix it. */
    public readonly ?string $detail;

    /** @var list<ProblemError> the problem of each invalid field */
    public readonly array $errors;

    /** The id of the request in the server's log. */
    public readonly ?string $requestId;

    /** Seconds to wait before a retry, if the server sent them. */
    public readonly ?float $retryAfter;

    /** The whole problem document (RFC 9457). Has no fields if the response is not one. */
    public readonly Problem $problem;

    /** @var array<string, string> the response headers, by lowercase name */
    public readonly array $headers;

    /** @internal use fromResponse() */
    protected function __construct(RawResponse $raw, ?string $idempotencyKey)
    {
        $this->status = $raw->response->status;
        $this->headers = $raw->response->headers;
        $this->requestId = $raw->response->requestId;
        $this->retryAfter = Time::retryAfter($raw->response->header('Retry-After'));
        $isProblem = str_starts_with($raw->response->header('Content-Type') ?? '', 'application/problem+json');
        $this->problem = new Problem(($isProblem ? $raw->document() : null) ?? new \stdClass());
        $this->type = $this->stringField('type');
        $this->slug = $this->type === null ? null : substr((string) strrchr("/{$this->type}", '/'), 1);
        $this->title = $this->stringField('title');
        $this->detail = $this->stringField('detail');
        $errors = $this->problem['errors'] ?? [];
        $this->errors = array_values(array_filter(
            \is_array($errors) ? $errors : [],
            static fn (mixed $error): bool => $error instanceof ProblemError,
        ));
        parent::__construct($this->buildMessage(), $this->status, $idempotencyKey);
    }

    /** @internal */
    final public static function fromResponse(RawResponse $raw, ?string $idempotencyKey = null): self
    {
        $status = $raw->response->status;

        $class = match (true) {
            $status === 400 => BadRequestException::class,
            $status === 401 => AuthenticationException::class,
            $status === 403 => PermissionDeniedException::class,
            $status === 404 => NotFoundException::class,
            $status === 409 => ConflictException::class,
            $status === 412 => PreconditionFailedException::class,
            $status === 422 => InvalidException::class,
            $status === 429 => RateLimitException::class,
            $status >= 500 => ServerException::class,
            default => self::class,
        };

        return new $class($raw, $idempotencyKey);
    }

    /** Returns a field of the problem if it is a string. */
    final protected function stringField(string $name): ?string
    {
        $value = $this->problem[$name] ?? null;

        return \is_string($value) ? $value : null;
    }

    private function buildMessage(): string
    {
        // The detail only summarizes the field errors, so it is left out if there are any.
        $parts = [];
        foreach ($this->errors as $error) {
            $field = $error['pointer'] ?? $error['parameter'] ?? '';
            $parts[] = ($field === '' ? '' : "$field: ") . ($error['detail'] ?? $error['code'] ?? '');
        }
        $parts = $parts ?: [$this->detail ?? $this->title ?? $this->defaultDetail()];
        $source = trim("$this->status $this->slug");
        $parts[] = $this->requestId === null ? "($source)" : "($source, request $this->requestId)";

        return implode(' ', $parts);
    }

    private function defaultDetail(): string
    {
        $location = $this->headers['location'] ?? null;
        if ($this->status >= 300 && $this->status < 400 && $location !== null) {
            return "The server redirects to $location. Redirects are not followed: set the URL to that of the API.";
        }

        return 'The response is not from the API. Check the URL and any proxy in between.';
    }
}
