<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/**
 * Reads server-sent events (HTML Living Standard, 9.2.6).
 *
 * @internal
 */
final class EventParser
{
    /** The id of the last event that was there in full, over all connections. */
    public ?string $lastId = null;

    private ?string $id = null;

    /** @var list<string> */
    private array $data = [];

    /**
     * The documents of one connection.
     *
     * @param iterable<string> $parts of what came, cut anywhere
     *
     * @return \Generator<int, \stdClass>
     */
    public function events(iterable $parts): \Generator
    {
        $this->id = $this->lastId;
        $this->data = [];
        foreach (self::lines($parts) as $line) {
            if ($line !== '') {
                $this->hear($line);
                continue;
            }
            $this->lastId = $this->id;
            $document = Json::object(implode("\n", $this->data));
            $this->data = [];
            if ($document !== null) {
                yield $document;
            }
        }
    }

    private function hear(string $line): void
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
     * The lines that are there in full. They may end in CR LF, LF or CR.
     *
     * @param iterable<string> $parts
     *
     * @return \Generator<int, string>
     */
    private static function lines(iterable $parts): \Generator
    {
        $rest = '';
        foreach ($parts as $part) {
            $rest .= $part;
            // A CR at the very end may be half of a CR LF, so it waits for what follows.
            while (preg_match('/\A([^\r\n]*+)(?:\r\n|\n|\r(?!\z))/', $rest, $found) === 1) {
                $rest = substr($rest, \strlen($found[0]));
                yield $found[1];
            }
        }
    }
}
