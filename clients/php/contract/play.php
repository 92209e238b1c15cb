<?php

declare(strict_types=1);

/*
 * Plays the contract (clients/contract/README.md): php play.php [--psr18] scenario.json
 *
 * With --psr18 requests go through Guzzle, from PHP's include path.
 */

use Blogsvc\Client;
use Blogsvc\Exception\BlogsvcException;
use Blogsvc\Options;
use Blogsvc\Record;
use Blogsvc\Webhook;

require __DIR__ . '/../autoload.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

/** A path that leads nowhere, or an answer that is nothing. */
const NOTHING = null;

final class Play
{
    /** @var array<string, mixed> */
    private array $variables;

    /** @var array<string, Client> */
    private array $clients = [];

    /** @var array<string, string> */
    private array $keys = [];

    /** @var array<string, list<string>> */
    private array $logs = [];

    private int $progress = 0;

    public function __construct(private readonly string $folder, private readonly bool $isPsr18)
    {
        $this->variables = [
            'run' => getenv('RUN'),
            'platform' => getenv('PLATFORM'),
            'hook' => getenv('HOOK'),
            'key' => getenv('BLOGSVC_API_KEY'),
        ];
        $this->makeClient('main', getenv('BLOGSVC_API_KEY'), getenv('BLOGSVC_URL'), ['maxRetries' => 8]);
    }

    /** @param list<array<string, mixed>> $steps */
    public function play(array $steps): void
    {
        foreach ($steps as $step) {
            $line = $this->line($step);
            if ($line !== null) {
                echo $step['does'], ': ', $line, "\n";
                flush();
            }
        }
    }

    private function line(array $step): ?string
    {
        $shown = array_fill_keys($step['show'] ?? [], NOTHING);
        try {
            $found = $this->found($step);
        } catch (BlogsvcException $error) {
            $values = $this->shown($shown, fn (string $path): mixed => $this->ofError($error, $path, $step));

            return rtrim('! ' . $this->failure($error) . ' ' . $values);
        }
        foreach ($step['keep'] ?? [] as $name => $path) {
            $this->variables[$name] = $this->at($found, $path);
        }
        if (isset($step['row']) || isset($step['pages'])) {
            return (isset($step['pages']) ? 'pages=' : 'rows=') . self::json($found);
        }
        if (isset($step['log']) || isset($step['text'])) {
            return (isset($step['log']) ? 'log=' : 'hidden=') . self::json($found);
        }
        $isSilent = isset($step['harness']) || (isset($step['client']) && !isset($step['call']));

        $values = $this->shown($shown, fn (string $path): mixed => $this->at($found, $path));

        return $values ?: ($isSilent ? null : 'done');
    }

    /** What comes of a step. */
    private function found(array $step): mixed
    {
        return match (true) {
            isset($step['call']) => $this->call($step['call'], $step),
            isset($step['walk']) => $this->walk($this->call($step['walk'], $step), $step),
            isset($step['pages']) => $this->lengths($this->call($step['pages'], $step)->pages()),
            isset($step['stream']) => $this->walk($this->stream($step), $step),
            isset($step['harness']) => $this->ask($this->filled($step['harness'])),
            isset($step['verify']) => $this->verify($this->filled($step['verify'])),
            isset($step['log']) => $this->logged($step['log']),
            isset($step['text']) => $this->isHidden($this->clients[$step['text']], $this->keys[$step['text']]),
            default => $this->makeClient(
                $step['client'],
                $this->filled($step['key']),
                $step['url'] ?? getenv('BLOGSVC_URL'),
                $step['options'] ?? [],
            ),
        };
    }

    private function makeClient(string $name, string $key, string $url, array $options): void
    {
        $lines = [];
        $this->logs[$name] = &$lines;
        $this->keys[$name] = $key;
        $http = [];
        if ($this->isPsr18) {
            $http = [
                // A connection of its own for each request: curl repeats by itself what is lost on one that was kept.
                'httpClient' => new GuzzleHttp\Client([
                    'timeout' => $options['timeout'] ?? 60,
                    'curl' => [\CURLOPT_FORBID_REUSE => true],
                ]),
                'requestFactory' => new GuzzleHttp\Psr7\HttpFactory(),
            ];
        }
        // Static, and by reference: what would show the client would show all that its log knows, and this knows keys.
        $log = static function (array $entry) use (&$lines): void {
            $kind = $entry['error'] === null ? $entry['status'] : self::kind($entry['error']);
            $again = $entry['retryIn'] === null ? '' : ' again';
            $lines[] = "{$entry['method']} {$entry['attempt']} $kind$again";
        };
        $this->clients[$name] = new Client($key, $url, new Options(...$options, ...$http, log: $log));
    }

    private function call(string $name, array $step): mixed
    {
        $client = $this->clients[$step['client'] ?? 'main'];
        if ($name === 'me') {
            return $client->me();
        }
        [$resource, $method] = explode('.', $name);
        $given = array_map($this->filled(...), $step['ids'] ?? []);
        $options = $this->filled($step['options'] ?? []);
        if ($name === 'posts.wait') {
            $this->progress = 0;

            return $client->posts->wait(...$given, ...$options, progress: function (): void {
                ++$this->progress;
            });
        }
        if (isset($step['with'])) {
            $given[] = $this->filled($step['with']);
        }
        if ($options !== []) {
            $given[] = $options;
        }

        return $client->$resource->$method(...$given);
    }

    private function stream(array $step): Generator
    {
        return $this->clients[$step['client'] ?? 'main']->events->stream($this->filled($step['stream']));
    }

    /** @return list<mixed> */
    private function walk(iterable $rows, array $step): array
    {
        $found = [];
        foreach ($rows as $row) {
            $found[] = $this->at($row, $step['row']);
            $this->play($step['at'][(string) \count($found)] ?? []);
            if (\count($found) === ($step['until'] ?? null)) {
                break;
            }
        }

        return $found;
    }

    /** @return list<int> */
    private function lengths(iterable $pages): array
    {
        $lengths = [];
        foreach ($pages as $page) {
            $lengths[] = \count($page->data);
        }

        return $lengths;
    }

    private function ask(string $wish): mixed
    {
        echo "@$wish\n";
        flush();

        return json_decode(fgets(\STDIN));
    }

    private function verify(array $given): Record
    {
        return (new Webhook($given['secret']))->verify($given['body'], $given['headers'], $given['now']);
    }

    /** @return list<string> */
    private function logged(string $name): array
    {
        [$lines, $this->logs[$name]] = [$this->logs[$name], []];

        return $lines;
    }

    private function isHidden(Client $client, string $key): bool
    {
        ob_start();
        foreach ([$client, (array) $client] as $shown) {
            print_r($shown);
            var_dump($shown);
            var_export($shown);
            echo json_encode($shown);
        }
        debug_zval_dump($client);
        try {
            echo serialize($client);
        } catch (LogicException $error) {
            echo $error;
        }

        return !str_contains((string) ob_get_clean(), $key);
    }

    /** What a step sends, with all that stands for something else replaced. */
    private function filled(mixed $value): mixed
    {
        if (\is_string($value)) {
            return $this->filledText($value);
        }
        if (!\is_array($value)) {
            return $value;
        }
        $given = \count($value) === 1 ? reset($value) : null;

        return match (\count($value) === 1 ? key($value) : null) {
            '$repeat' => str_repeat($given[0], $given[1]),
            '$time' => new DateTimeImmutable($given),
            '$in' => new DateTimeImmutable("+$given seconds"),
            '$path' => "$this->folder/$given",
            '$open' => fopen("$this->folder/$given", 'rb'),
            '$text' => file_get_contents("$this->folder/$given"),
            default => array_map($this->filled(...), $value),
        };
    }

    private function filledText(string $text): mixed
    {
        if (preg_match('/\A\$\{([^}]+)\}\z/', $text, $found) === 1) {
            return $this->variable($found[1]);
        }

        return preg_replace_callback('/\$\{([^}]+)\}/', fn (array $found): string => $this->variable($found[1]), $text);
    }

    private function variable(string $path): mixed
    {
        [$name, $rest] = explode('.', $path, 2) + [1 => ''];

        return $this->at($this->variables[$name], $rest);
    }

    /** @param array<string, null> $paths */
    private function shown(array $paths, Closure $find): string
    {
        $words = [];
        foreach (array_keys($paths) as $path) {
            $words[] = "$path=" . self::json($find((string) $path));
        }

        return implode(' ', $words);
    }

    private function at(mixed $value, string $path): mixed
    {
        [$path, $filter] = explode('|', $path) + [1 => null];
        if ($path === 'progress') {
            return self::through($filter, $this->progress);
        }
        foreach ($path === '' ? [] : explode('.', $path) as $step) {
            $value = $filter === 'time' ? $value?->$step : self::step($value, $step);
        }

        return self::through($filter, $value);
    }

    private static function step(mixed $value, string $step): mixed
    {
        return match (true) {
            \is_array($value), $value instanceof ArrayAccess && isset($value[$step]) => $value[$step] ?? NOTHING,
            \is_object($value) && $step === 'response' => $value->response,
            $value instanceof Record => NOTHING,
            \is_object($value) => $value->$step ?? NOTHING,
            default => NOTHING,
        };
    }

    private static function through(?string $filter, mixed $value): mixed
    {
        return match ($filter) {
            null => $value,
            'length' => \is_string($value) ? mb_strlen($value) : \count($value),
            'type' => match (true) {
                $value === null => 'null',
                \is_bool($value) => 'boolean',
                \is_int($value), \is_float($value) => 'number',
                \is_string($value) => 'string',
                \is_array($value) => 'list',
                default => 'object',
            },
            'time' => $value?->setTimezone(new DateTimeZone('UTC'))->format('Y-m-d\TH:i:s\Z'),
            'sorted' => (static function (array $texts): array {
                sort($texts, \SORT_STRING);

                return $texts;
            })($value),
        };
    }

    private function ofError(BlogsvcException $error, string $path, array $step): mixed
    {
        if ($path === 'message|keyless') {
            return !str_contains((string) $error, $this->keys[$step['client'] ?? 'main']);
        }
        [$path, $filter] = explode('|', $path) + [1 => null];
        [$name, $rest] = explode('.', $path, 2) + [1 => null];
        $value = $name === 'message' ? $error->getMessage() : ($error->$name ?? NOTHING);

        return $this->at($value, ($rest ?? '') . ($filter === null ? '' : "|$filter"));
    }

    private function failure(BlogsvcException $error): string
    {
        $words = [self::kind($error::class), $error->status ?? '', $error->slug ?? ''];
        foreach ($error->errors ?? [] as $fault) {
            $words[] = ($fault['pointer'] ?? $fault['parameter'] ?? '') . ':' . $fault['code'];
        }

        return implode(' ', array_filter($words, static fn (mixed $word): bool => $word !== ''));
    }

    /** @param class-string $class */
    private static function kind(string $class): string
    {
        $kind = preg_replace('/\A.*\\\\|Exception\z/', '', $class);

        return $kind === 'Api' ? 'API' : $kind;
    }

    private static function json(mixed $value): string
    {
        return json_encode($value, \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE | \JSON_UNESCAPED_LINE_TERMINATORS | \JSON_THROW_ON_ERROR);
    }
}

$arguments = array_slice($argv, 1);
$isPsr18 = in_array('--psr18', $arguments, true);
if ($isPsr18) {
    restore_error_handler();
    require 'GuzzleHttp/autoload.php';
}
$file = array_values(array_diff($arguments, ['--psr18']))[0];
(new Play(dirname($file), $isPsr18))->play(json_decode(file_get_contents($file), true)['steps']);
