<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * Parses server-sent events (HTML Living Standard, 9.2.6).
 *
 * @internal
 */
final class SseParser
{
    /** The id of the last complete event, over all connections. */
    public ?string $lastEventId = null;

    private ?string $id = null;

    /** @var list<string> */
    private array $data = [];

    /**
     * Yields the data of the events of one connection.
     *
     * @param iterable<string> $chunks of any size
     *
     * @return \Generator<int, \stdClass>
     */
    public function parse(iterable $chunks): \Generator
    {
        $this->id = $this->lastEventId;
        $this->data = [];
        foreach (self::lines($chunks) as $line) {
            if ($line !== '') {
                $this->parseField($line);
                continue;
            }
            $this->lastEventId = $this->id;
            $document = Json::object(implode("\n", $this->data));
            $this->data = [];
            if ($document !== null) {
                yield $document;
            }
        }
    }

    private function parseField(string $line): void
    {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $value = str_starts_with($value, ' ') ? substr($value, 1) : $value;
        if ($name === 'data') {
            $this->data[] = $value;
        } elseif ($name === 'id' && !str_contains($value, "\0")) {
            $this->id = $value;
        }
    }

    /**
     * Yields the complete lines, which end in CR LF, LF or CR.
     *
     * @param iterable<string> $chunks
     *
     * @return \Generator<int, string>
     */
    private static function lines(iterable $chunks): \Generator
    {
        $rest = '';
        foreach ($chunks as $chunk) {
            $rest .= $chunk;
            // A CR at the end may be the first half of CR LF, so it is kept for the next chunk.
            while (preg_match('/\A([^\r\n]*+)(?:\r\n|\n|\r(?!\z))/', $rest, $match) === 1) {
                $rest = substr($rest, \strlen($match[0]));
                yield $match[1];
            }
        }
    }
}
