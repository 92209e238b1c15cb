<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Internal\EventParser;
use PHPUnit\Framework\TestCase;

final class EventParserTest extends TestCase
{
    /** Line ends of every kind, data over two lines, a comment, and an event that broke off. */
    private const TEXT = "retry: 3000\n\nid: a\r\nevent: x\r\ndata: {\"n\":\r\ndata: 1}\r\n\r\n:\n\n"
        . "id:b\rdata:{\"n\":2}\r\rid: c\ndata: {\"n\":3}\n";

    /**
     * @testWith [1]
     *           [2]
     *           [3]
     *           [5]
     *           [1000]
     */
    public function testEventsAreReadHoweverTheyAreCut(int $length): void
    {
        $parser = new EventParser();
        $told = [];
        foreach ($parser->events(str_split(self::TEXT, $length)) as $document) {
            $told[] = [$document->n, $parser->lastId];
        }
        self::assertSame([[1, 'a'], [2, 'b']], $told);
        self::assertSame('b', $parser->lastId);
    }

    public function testTheNextConnectionBeginsAnew(): void
    {
        $parser = new EventParser();
        iterator_to_array($parser->events([self::TEXT]));
        self::assertEquals([(object) ['n' => 4]], iterator_to_array($parser->events(["data: {\"n\":4}\n\n"])));
        self::assertSame('b', $parser->lastId);
    }
}
