<?php

declare(strict_types=1);

namespace Blogsvc\Exception;

use Blogsvc\Internal\Answer;
use Blogsvc\Internal\Time;
use Blogsvc\Record\Problem;
use Blogsvc\Record\ProblemError;

/** The server answered that it cannot be, or answered what cannot be understood. */
class ApiException extends BlogsvcException
{
    public readonly int $status;

    /** The address of the page that tells of this kind of problem. */
    public readonly ?string $type;

    /** The end of `type`, such as `state-conflict`: what to compare with. */
    public readonly ?string $slug;

    public readonly ?string $title;

    /** What is wrong with this very request. */
    public readonly ?string $detail;

    /** @var list<ProblemError> each fault: where it is, what it is, and what mends it */
    public readonly array $errors;

    /** The server's name for the request, which its log has too. */
    public readonly ?string $requestId;

    /** After how many seconds to try again, where the server said so. */
    public readonly ?float $retryAfter;

    /** The whole problem document; without fields where what was answered is none. */
    public readonly Problem $problem;

    /** @var array<string, string> the headers of the answer, by their names in lower case */
    public readonly array $headers;

    /** @internal use of() */
    protected function __construct(Answer $answer)
    {
        $this->status = $answer->response->status;
        $this->headers = $answer->response->headers;
        $this->requestId = $answer->response->requestId;
        $this->retryAfter = Time::retryAfter($answer->response->header('Retry-After'));
        $isProblem = str_starts_with($answer->response->header('Content-Type') ?? '', 'application/problem+json');
        $this->problem = new Problem(($isProblem ? $answer->document() : null) ?? new \stdClass());
        $this->type = $this->text('type');
        $this->slug = $this->type === null ? null : substr((string) strrchr("/{$this->type}", '/'), 1);
        $this->title = $this->text('title');
        $this->detail = $this->text('detail');
        $errors = $this->problem['errors'] ?? [];
        $this->errors = array_values(array_filter(
            \is_array($errors) ? $errors : [],
            static fn (mixed $error): bool => $error instanceof ProblemError,
        ));
        parent::__construct($this->inWords(), $this->status);
    }

    /** @internal */
    final public static function of(Answer $answer): self
    {
        $status = $answer->response->status;

        return match (true) {
            $status === 400 => new BadRequestException($answer),
            $status === 401 => new AuthenticationException($answer),
            $status === 403 => new PermissionDeniedException($answer),
            $status === 404 => new NotFoundException($answer),
            $status === 409 => new ConflictException($answer),
            $status === 412 => new PreconditionFailedException($answer),
            $status === 422 => new InvalidException($answer),
            $status === 429 => new RateLimitException($answer),
            $status >= 500 => new ServerException($answer),
            default => new self($answer),
        };
    }

    /** A field of the problem, where it is a text. */
    final protected function text(string $name): ?string
    {
        $value = $this->problem[$name] ?? null;

        return \is_string($value) ? $value : null;
    }

    private function inWords(): string
    {
        $words = [];
        foreach ($this->errors as $error) {
            $place = $error['pointer'] ?? $error['parameter'] ?? '';
            $words[] = ($place === '' ? '' : "$place: ") . ($error['detail'] ?? $error['code'] ?? '');
        }
        // Where there are errors, the detail is what they say.
        $words = $words ?: [$this->detail ?? $this->title ?? $this->withoutProblem()];
        $kind = trim("$this->status $this->slug");
        $words[] = $this->requestId === null ? "($kind)" : "($kind, request $this->requestId)";

        return implode(' ', $words);
    }

    private function withoutProblem(): string
    {
        $location = $this->headers['location'] ?? null;
        if ($this->status >= 300 && $this->status < 400 && $location !== null) {
            return "The server redirects to $location, which is not followed: give that address, if it is right.";
        }

        return 'The server did not answer as the API does; there may be something else at this address, or in between.';
    }
}
