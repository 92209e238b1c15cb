<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConfigurationException;

/**
 * A file and form fields as multipart/form-data (RFC 7578).
 *
 * @internal
 */
final class MultipartForm
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
        // Derived from the content, not random: a repeated call with the same idempotency key must send the same bytes.
        $boundary = 'blogsvc-' . substr(hash('sha256', $content . $filename . Json::encode($fields)), 0, 40);
        $parts = [];
        foreach ($fields as $name => $value) {
            if (!\is_scalar($value ?? '')) {
                throw new ConfigurationException("The field $name must be a string.");
            }
            if ($value !== null) {
                $parts[] = self::part($name) . "\r\n\r\n$value";
            }
        }
        $parts[] = self::part('file') . '; filename="' . self::escaped($filename) . '"'
            . "\r\nContent-Type: application/octet-stream\r\n\r\n$content";
        $this->type = "multipart/form-data; boundary=$boundary";
        $this->body = "--$boundary\r\n" . implode("\r\n--$boundary\r\n", $parts) . "\r\n--$boundary--\r\n";
    }

    /**
     * @param mixed                $file     the path of a file, or a stream resource
     * @param array<string, mixed> $fields
     * @param string|null          $filename default: the name in the path; required for a stream resource
     *
     * @throws ConfigurationException if the file cannot be read
     */
    public static function create(mixed $file, array $fields, ?string $filename): self
    {
        if (\is_string($file)) {
            // Only local files, since file_get_contents also reads URLs.
            $content = is_file($file) ? @file_get_contents($file) : false;

            return new self(self::read($content, $file), $filename ?? basename($file), $fields);
        }
        if (!\is_resource($file)) {
            throw new ConfigurationException('The file must be a path or a stream resource.');
        }
        if ($filename === null) {
            throw new ConfigurationException('A stream resource has no name. Pass the option filename.');
        }

        return new self(self::read(stream_get_contents($file), $filename), $filename, $fields);
    }

    /** @throws ConfigurationException */
    private static function read(string|false $content, string $name): string
    {
        return $content !== false ? $content : throw new ConfigurationException("Cannot read the file $name.");
    }

    private static function part(string $name): string
    {
        return 'Content-Disposition: form-data; name="' . self::escaped($name) . '"';
    }

    /** Escapes a name as browsers do. */
    private static function escaped(string $text): string
    {
        return strtr($text, ['"' => '%22', "\r" => '%0D', "\n" => '%0A']);
    }
}
