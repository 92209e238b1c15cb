<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Internal\SseParser;
use PHPUnit\Framework\TestCase;

final class SseParserTest extends TestCase
{
    /** All kinds of line endings, data on two lines, a comment, and an incomplete event. */
    private const TEXT = "retry: 3000\n\nid: a\r\nevent: x\r\ndata: {\"n\":\r\ndata: 1}\r\n\r\n:\n\n"
        . "id:b\rdata:{\"n\":2}\r\rid: c\ndata: {\"n\":3}\n";

    /**
     * @testWith [1]
     *           [2]
     *           [3]
     *           [5]
     *           [1000]
     */
    public function testEventsAreParsedFromChunksOfAnySize(int $length): void
    {
        $parser = new SseParser();
        $events = [];
        foreach ($parser->parse(str_split(self::TEXT, $length)) as $document) {
            $events[] = [$document->n, $parser->lastEventId];
        }
        self::assertSame([[1, 'a'], [2, 'b']], $events);
        self::assertSame('b', $parser->lastEventId);
    }

    public function testANewConnectionDiscardsAnIncompleteEvent(): void
    {
        $parser = new SseParser();
        iterator_to_array($parser->parse([self::TEXT]));
        self::assertEquals([(object) ['n' => 4]], iterator_to_array($parser->parse(["data: {\"n\":4}\n\n"])));
        self::assertSame('b', $parser->lastEventId);
    }
}
