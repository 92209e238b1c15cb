<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Internal\Request;
use Blogsvc\Record;
use PHPUnit\Framework\TestCase;

final class RequestTest extends TestCase
{
    public function testIdsAndTheQueryAreEscaped(): void
    {
        $request = Request::create('GET', '/posts/{post_id}/revisions/{number}', 'ä/b?', 3)->withQuery([
            'status' => ['a b', 'c'],
            'trashed' => true,
            'force' => false,
            'q' => null,
            'fields' => [],
            'createdAfter' => new \DateTime('2030-01-01T02:00:00+02:00'),
        ]);
        self::assertSame(
            '/posts/%C3%A4%2Fb%3F/revisions/3?status=a%20b&status=c&trashed=true&force=false'
            . '&createdAfter=2030-01-01T00%3A00%3A00Z',
            $request->target(),
        );
    }

    /**
     * @testWith [""]
     *           ["."]
     *           [".."]
     */
    public function testAnInvalidIdIsRejected(string $id): void
    {
        $this->expectException(ConfigurationException::class);
        Request::create('GET', '/posts/{post_id}', $id);
    }

    public function testFieldsAreEncodedAsJson(): void
    {
        $fields = [
            'overrides' => [],
            'tags' => [],
            'scheduledAt' => new \DateTimeImmutable('2030-01-01T01:00:00.5+01:00'),
            'schedule' => new Record(new \stdClass()),
            'operations' => [['at' => new \DateTime('@0'), 'post' => new \stdClass()]],
            'slug' => null,
        ];
        self::assertSame(
            '{"overrides":{},"tags":[],"scheduledAt":"2030-01-01T00:00:00.500000Z","schedule":{},'
            . '"operations":[{"at":"1970-01-01T00:00:00Z","post":{}}],"slug":null}',
            Request::create('POST', '/posts')->withJson($fields, ['overrides'])->body,
        );
        self::assertSame('{}', Request::create('POST', '/posts')->withJson([])->body);
    }

    public function testEachPostHasANewIdempotencyKey(): void
    {
        $uuid = '/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/';
        $key = static fn (): string => Request::create('POST', '/posts')
            ->withOptions([], 'idempotencyKey')
            ->headers['Idempotency-Key'];
        self::assertMatchesRegularExpression($uuid, $key());
        self::assertNotSame($key(), $key());
    }

    /**
     * @dataProvider invalidOptions
     *
     * @param array<string, mixed> $options
     */
    public function testAnInvalidOptionIsRejected(array $options): void
    {
        $this->expectException(ConfigurationException::class);
        Request::create('POST', '/posts')->withOptions($options, 'ifMatch', 'wait');
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function invalidOptions(): iterable
    {
        yield 'unknown' => [['ifmatch' => '"a"']];
        yield 'a line break' => [['ifMatch' => "\"a\"\r\nHost: b"]];
        yield 'not an integer' => [['wait' => '5']];
    }

    public function testInvalidUtf8IsRejected(): void
    {
        $this->expectException(ConfigurationException::class);
        Request::create('POST', '/posts')->withJson(['title' => "\xff"]);
    }
}
