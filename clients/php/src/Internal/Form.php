<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConfigurationException;

/**
 * A file and what goes with it, as multipart/form-data (RFC 7578).
 *
 * @internal
 */
final class Form
{
    public readonly string $type;
    public readonly string $body;

    /**
     * @param array<string, mixed> $fields
     *
     * @throws ConfigurationException
     */
    private function __construct(string $content, string $filename, array $fields)
    {
        // By its content and not by chance: a form that is sent again under its idempotency key is to be the same one.
        $boundary = 'blogsvc-' . substr(hash('sha256', $content . $filename . Json::encode($fields)), 0, 40);
        $parts = [];
        foreach ($fields as $name => $value) {
            if (!\is_scalar($value ?? '')) {
                throw new ConfigurationException("The field $name is to be a text.");
            }
            if ($value !== null) {
                $parts[] = self::part($name) . "\r\n\r\n$value";
            }
        }
        $parts[] = self::part('file') . '; filename="' . self::quoted($filename) . '"'
            . "\r\nContent-Type: application/octet-stream\r\n\r\n$content";
        $this->type = "multipart/form-data; boundary=$boundary";
        $this->body = "--$boundary\r\n" . implode("\r\n--$boundary\r\n", $parts) . "\r\n--$boundary--\r\n";
    }

    /**
     * @param mixed                $file     the path of a file, or a resource to read from
     * @param array<string, mixed> $fields
     * @param string|null          $filename as it is to be called; must be there for a resource
     *
     * @throws ConfigurationException where it cannot be read
     */
    public static function of(mixed $file, array $fields, ?string $filename): self
    {
        if (\is_string($file)) {
            // A file, and no address of one elsewhere, which PHP would read too.
            $content = is_file($file) ? @file_get_contents($file) : false;

            return new self(self::read($content, $file), $filename ?? basename($file), $fields);
        }
        if (!\is_resource($file)) {
            throw new ConfigurationException('A file is the path of one, or a resource to read from.');
        }
        if ($filename === null) {
            throw new ConfigurationException('What is read from a resource needs the option filename.');
        }

        return new self(self::read(stream_get_contents($file), $filename), $filename, $fields);
    }

    /** @throws ConfigurationException */
    private static function read(string|false $content, string $name): string
    {
        return $content !== false ? $content : throw new ConfigurationException("The file $name cannot be read.");
    }

    private static function part(string $name): string
    {
        return 'Content-Disposition: form-data; name="' . self::quoted($name) . '"';
    }

    /** As browsers do it. */
    private static function quoted(string $text): string
    {
        return strtr($text, ['"' => '%22', "\r" => '%0D', "\n" => '%0A']);
    }
}
