<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Record;
use Blogsvc\Record\DeliveryError;
use Blogsvc\Record\Post;
use PHPUnit\Framework\TestCase;

final class RecordTest extends TestCase
{
    private const TEXT = '{"id":"post_1","scheduledAt":"2030-01-01T08:00:00.123Z","publishedAt":null,"overrides":{},'
        . '"tags":[],"deliveries":[{"state":"queued","lastError":{"code":"gone"}}],"new":{"rows":[{"b":1}]},"7":1}';

    private Post $post;

    protected function setUp(): void
    {
        $this->post = new Post(json_decode(self::TEXT));
    }

    public function testPropertiesHavePhpTypesAndKeysHaveJsonValues(): void
    {
        self::assertSame('2030-01-01 08:00:00.123', $this->post->scheduledAt->format('Y-m-d H:i:s.v'));
        self::assertSame('2030-01-01T08:00:00.123Z', $this->post['scheduledAt']);
        self::assertNull($this->post->publishedAt);
    }

    public function testNestedObjectsAreRecords(): void
    {
        self::assertInstanceOf(DeliveryError::class, $this->post->deliveries[0]->lastError);
        self::assertSame(1, $this->post->new->rows[0]->b);
        self::assertSame(['code' => 'gone'], $this->post->toArray()['deliveries'][0]['lastError']);
    }

    public function testARecordEncodesToTheOriginalJson(): void
    {
        self::assertSame(self::TEXT, json_encode($this->post));
        self::assertSame('{}', json_encode(new Record(new \stdClass())));
        self::assertSame(self::TEXT, json_encode(unserialize(serialize($this->post))));
    }

    public function testARecordIsCountableAndIterable(): void
    {
        self::assertCount(8, $this->post);
        $names = [];
        foreach ($this->post as $name => $_) {
            $names[] = $name;
        }
        self::assertSame(
            ['id', 'scheduledAt', 'publishedAt', 'overrides', 'tags', 'deliveries', 'new', '7'],
            $names,
        );
    }

    public function testAMissingFieldBehavesLikeAMissingArrayKey(): void
    {
        self::assertFalse(isset($this->post->publishedAt));
        self::assertSame('none', $this->post->title ?? 'none');
        self::assertSame('none', $this->post['title'] ?? 'none');
        $warnings = [];
        set_error_handler(static function (int $level, string $message) use (&$warnings): bool {
            $warnings[] = $message;

            return true;
        });
        self::assertNull($this->post->title);
        restore_error_handler();
        self::assertSame(['Undefined field "title" in Blogsvc\Record\Post'], $warnings);
    }

    /** @dataProvider writes */
    public function testARecordIsReadOnly(callable $write): void
    {
        $this->expectException(\LogicException::class);
        $write($this->post);
    }

    /** @return iterable<string, array{callable(Post): void}> */
    public static function writes(): iterable
    {
        yield 'set a property' => [static function (Post $post): void {
            $post->title = 'x';
        }];
        yield 'set a key' => [static function (Post $post): void {
            $post['title'] = 'x';
        }];
        yield 'unset a property' => [static function (Post $post): void {
            unset($post->id);
        }];
        yield 'unset a key' => [static function (Post $post): void {
            unset($post['id']);
        }];
    }
}
