<?php

declare(strict_types=1);

/*
 * Runs the contract's scenario (clients/contract/README.md): php run_scenario.php [--psr18] scenario.json
 *
 * With --psr18, requests are sent with Guzzle from PHP's include path.
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

final class ScenarioRunner
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
        $this->createClient('main', getenv('BLOGSVC_API_KEY'), getenv('BLOGSVC_URL'), ['retryFor' => 120]);
    }

    /** @param list<array<string, mixed>> $steps */
    public function run(array $steps): void
    {
        foreach ($steps as $step) {
            $output = $this->output($step);
            if ($output !== null) {
                echo $step['name'], ': ', $output, "\n";
                flush();
            }
        }
    }

    private function output(array $step): ?string
    {
        $paths = $step['show'] ?? [];
        try {
            $result = $this->result($step);
        } catch (BlogsvcException $error) {
            foreach ($step['save'] ?? [] as $name => $path) {
                $this->variables[$name] = $this->atError($error, $path, $step);
            }
            $values = $this->show($paths, fn (string $path): mixed => $this->atError($error, $path, $step));

            return rtrim('! ' . $this->errorLine($error) . ' ' . $values);
        }
        foreach ($step['save'] ?? [] as $name => $path) {
            $this->variables[$name] = $this->at($result, $path);
        }
        if (isset($step['row']) || isset($step['pages'])) {
            return (isset($step['pages']) ? 'pages=' : 'rows=') . self::json($result);
        }
        if (isset($step['log']) || isset($step['inspect'])) {
            return (isset($step['log']) ? 'log=' : 'hidden=') . self::json($result);
        }
        $isSilent = isset($step['harness']) || (isset($step['client']) && !isset($step['call']));

        $values = $this->show($paths, fn (string $path): mixed => $this->at($result, $path));

        return $values ?: ($isSilent ? null : 'done');
    }

    /** Runs a step and returns its result. */
    private function result(array $step): mixed
    {
        return match (true) {
            isset($step['call']) => $this->call($step['call'], $step),
            isset($step['iterate']) => $this->iterate($this->call($step['iterate'], $step), $step),
            isset($step['pages']) => $this->lengths($this->call($step['pages'], $step)->pages()),
            isset($step['stream']) => $this->iterate($this->stream($step), $step),
            isset($step['harness']) => $this->callHarness($this->fill($step['harness'])),
            isset($step['verify']) => $this->verify($this->fill($step['verify'])),
            isset($step['log']) => $this->takeLog($step['log']),
            isset($step['inspect']) => $this->isHidden($this->clients[$step['inspect']], $this->keys[$step['inspect']]),
            default => $this->createClient(
                $step['client'],
                $this->fill($step['key']),
                $step['url'] ?? getenv('BLOGSVC_URL'),
                $step['options'] ?? [],
            ),
        };
    }

    private function createClient(string $name, string $key, string $url, array $options): void
    {
        $lines = [];
        $this->logs[$name] = &$lines;
        $this->keys[$name] = $key;
        $http = [];
        if ($this->isPsr18) {
            $http = [
                // A new connection for each request, since curl resends requests that are lost on a reused connection.
                'httpClient' => new GuzzleHttp\Client([
                    'timeout' => $options['timeout'] ?? 60,
                    'curl' => [\CURLOPT_FORBID_REUSE => true],
                ]),
                'requestFactory' => new GuzzleHttp\Psr7\HttpFactory(),
            ];
        }
        // A dump of the client includes the callback: static, so that it does not include $this, which has the keys.
        $log = static function (array $entry) use (&$lines): void {
            $outcome = $entry['error'] === null ? $entry['status'] : self::errorKind($entry['error']);
            $retry = $entry['retryIn'] === null ? '' : ' retry';
            $lines[] = "{$entry['method']} {$entry['attempt']} $outcome$retry";
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
        $arguments = array_map($this->fill(...), $step['args'] ?? []);
        $options = $this->fill($step['options'] ?? []);
        if ($name === 'posts.wait') {
            $this->progress = 0;

            return $client->posts->wait(...$arguments, ...$options, progress: function (): void {
                ++$this->progress;
            });
        }
        if (isset($step['fields'])) {
            $arguments[] = $this->fill($step['fields']);
        }
        if ($options !== []) {
            $arguments[] = $options;
        }

        return $client->$resource->$method(...$arguments);
    }

    private function stream(array $step): Generator
    {
        return $this->clients[$step['client'] ?? 'main']->events->stream($this->fill($step['stream']));
    }

    /** @return list<mixed> */
    private function iterate(iterable $rows, array $step): array
    {
        $values = [];
        foreach ($rows as $row) {
            $values[] = $this->at($row, $step['row']);
            $this->run($step['stepsAfter'][(string) \count($values)] ?? []);
            if (\count($values) === ($step['until'] ?? null)) {
                break;
            }
        }

        return $values;
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

    private function callHarness(string $command): mixed
    {
        echo "@$command\n";
        flush();

        return json_decode(fgets(\STDIN));
    }

    private function verify(array $message): Record
    {
        return (new Webhook($message['secret']))->verify($message['body'], $message['headers'], $message['now']);
    }

    /** @return list<string> */
    private function takeLog(string $name): array
    {
        [$lines, $this->logs[$name]] = [$this->logs[$name], []];

        return $lines;
    }

    private function isHidden(Client $client, string $key): bool
    {
        ob_start();
        foreach ([$client, (array) $client] as $value) {
            print_r($value);
            var_dump($value);
            var_export($value);
            echo json_encode($value);
        }
        debug_zval_dump($client);
        try {
            echo serialize($client);
        } catch (LogicException $error) {
            echo $error;
        }

        return !str_contains((string) ob_get_clean(), $key);
    }

    /** Replaces the variables and functions in a value of a step. */
    private function fill(mixed $value): mixed
    {
        if (\is_string($value)) {
            return $this->fillText($value);
        }
        if (!\is_array($value)) {
            return $value;
        }
        $argument = \count($value) === 1 ? reset($value) : null;

        return match (\count($value) === 1 ? key($value) : null) {
            '$repeat' => str_repeat($argument[0], $argument[1]),
            '$time' => new DateTimeImmutable($argument),
            '$in' => new DateTimeImmutable("+$argument seconds"),
            '$path' => "$this->folder/$argument",
            '$open' => fopen("$this->folder/$argument", 'rb'),
            '$text' => file_get_contents("$this->folder/$argument"),
            default => array_map($this->fill(...), $value),
        };
    }

    private function fillText(string $text): mixed
    {
        if (preg_match('/\A\$\{([^}]+)\}\z/', $text, $match) === 1) {
            return $this->variable($match[1]);
        }

        return preg_replace_callback('/\$\{([^}]+)\}/', fn (array $match): string => $this->variable($match[1]), $text);
    }

    private function variable(string $path): mixed
    {
        [$name, $rest] = explode('.', $path, 2) + [1 => ''];

        return $this->at($this->variables[$name], $rest);
    }

    /** @param list<string> $paths */
    private function show(array $paths, Closure $find): string
    {
        return implode(' ', array_map(static fn (string $path): string => "$path=" . self::json($find($path)), $paths));
    }

    private function at(mixed $value, string $path): mixed
    {
        [$path, $filter] = explode('|', $path) + [1 => null];
        if ($path === 'progress') {
            return self::applyFilter($filter, $this->progress);
        }
        foreach ($path === '' ? [] : explode('.', $path) as $name) {
            $value = $filter === 'time' ? $value?->$name : self::field($value, $name);
        }

        return self::applyFilter($filter, $value);
    }

    private static function field(mixed $value, string $name): mixed
    {
        return match (true) {
            \is_array($value), $value instanceof ArrayAccess && isset($value[$name]) => $value[$name] ?? null,
            \is_object($value) && $name === 'response' => $value->response,
            $value instanceof Record => null,
            \is_object($value) => $value->$name ?? null,
            default => null,
        };
    }

    private static function applyFilter(?string $filter, mixed $value): mixed
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

    private function atError(BlogsvcException $error, string $path, array $step): mixed
    {
        if ($path === 'message|hidesKey') {
            return !str_contains((string) $error, $this->keys[$step['client'] ?? 'main']);
        }
        [$path, $filter] = explode('|', $path) + [1 => null];
        [$name, $rest] = explode('.', $path, 2) + [1 => null];
        $value = $name === 'message' ? $error->getMessage() : ($error->$name ?? null);

        return $this->at($value, ($rest ?? '') . ($filter === null ? '' : "|$filter"));
    }

    private function errorLine(BlogsvcException $error): string
    {
        $parts = [self::errorKind($error::class), $error->status ?? '', $error->slug ?? ''];
        foreach ($error->errors ?? [] as $field) {
            $parts[] = ($field['pointer'] ?? $field['parameter'] ?? '') . ':' . $field['code'];
        }

        return implode(' ', array_filter($parts, static fn (mixed $part): bool => $part !== ''));
    }

    /** @param class-string $class */
    private static function errorKind(string $class): string
    {
        $kind = preg_replace('/\A.*\\\\|Exception\z/', '', $class);

        return $kind === 'Api' ? 'API' : $kind;
    }

    private static function json(mixed $value): string
    {
        return json_encode($value, \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE
            | \JSON_UNESCAPED_LINE_TERMINATORS | \JSON_THROW_ON_ERROR);
    }
}

$arguments = array_slice($argv, 1);
$isPsr18 = in_array('--psr18', $arguments, true);
if ($isPsr18) {
    restore_error_handler();
    require 'GuzzleHttp/autoload.php';
}
$file = array_values(array_diff($arguments, ['--psr18']))[0];
(new ScenarioRunner(dirname($file), $isPsr18))->run(json_decode(file_get_contents($file), true)['steps']);
