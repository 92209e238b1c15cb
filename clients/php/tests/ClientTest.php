<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Client;
use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Exception\ConnectionException;
use Blogsvc\Options;
use PHPUnit\Framework\TestCase;

/** No server listens on port 1, so no request is ever sent. */
final class ClientTest extends TestCase
{
    private const KEY = 'bsk_hidden';

    public function testTheApiKeyIsNeverShown(): void
    {
        $client = new Client(self::KEY, 'http://127.0.0.1:1', new Options(maxRetries: 0));
        try {
            $client->me();
        } catch (ConnectionException $error) {
        }
        ob_start();
        foreach ([$client, (array) $client, $error ?? null] as $shown) {
            print_r($shown);
            var_dump($shown);
            echo json_encode($shown);
        }
        var_export($client);
        self::assertStringNotContainsString(self::KEY, (string) ob_get_clean());
    }

    public function testKeyAndUrlCanBeGivenInOrderOrByName(): void
    {
        $inOrder = new Client(self::KEY, 'https://blog.example.org');
        $byName = new Client(baseUrl: 'https://blog.example.org', apiKey: self::KEY, options: new Options(timeout: 5));
        self::assertSame('https://blog.example.org', $inOrder->__debugInfo()['baseUrl']);
        self::assertSame('https://blog.example.org', $byName->__debugInfo()['baseUrl']);
    }

    public function testAClientCannotBeSerialized(): void
    {
        $this->expectException(\LogicException::class);
        serialize(new Client(self::KEY, 'http://127.0.0.1:1'));
    }

    public function testAnUnsentRequestIsRetriedEvenWithIfMatch(): void
    {
        $log = [];
        $client = (new Client(self::KEY, 'http://127.0.0.1:1'))->withOptions(
            maxRetries: 1,
            log: static function (array $entry) use (&$log): void {
                $log[] = [$entry['method'], $entry['path'], $entry['attempt'], $entry['status'], $entry['error']];
            },
        );
        try {
            $client->posts->update('post_1', ['title' => 'x'], ['ifMatch' => '"1"']);
            self::fail('There is a response.');
        } catch (ConnectionException $error) {
            self::assertFalse($error->wasSent);
        }
        self::assertSame([
            ['PATCH', '/api/v1/posts/post_1', 1, null, ConnectionException::class],
            ['PATCH', '/api/v1/posts/post_1', 2, null, ConnectionException::class],
        ], $log);
    }

    public function testRetryForKeepsTryingBeyondTheMaximum(): void
    {
        $waits = [];
        $options = new Options(maxRetries: 0, retryFor: 0.6, log: static function (array $entry) use (&$waits): void {
            $waits[] = $entry['retryIn'];
        });
        try {
            (new Client(self::KEY, 'http://127.0.0.1:1', $options))->me();
            self::fail('There is a response.');
        } catch (ConnectionException) {
            // The first wait is at most 0.5 s.
            self::assertGreaterThanOrEqual(2, \count($waits));
            self::assertLessThanOrEqual(0.6, array_sum($waits));
        }
    }

    public function testAnErrorHasTheIdempotencyKeyOfItsRequest(): void
    {
        $client = new Client(self::KEY, 'http://127.0.0.1:1', new Options(maxRetries: 0));
        self::assertSame('ink-1', self::keyOfError(
            static fn () => $client->posts->create(['title' => 'Ink'], ['idempotencyKey' => 'ink-1']),
        ));
        self::assertNotEmpty(self::keyOfError(static fn () => $client->posts->create(['title' => 'Ink'])));
        self::assertNull(self::keyOfError(static fn () => $client->me()));
    }

    /**
     * @testWith [""]
     *           ["bsk x"]
     *           ["bsk_x\nHost: y"]
     */
    public function testAnInvalidKeyIsRejected(string $key): void
    {
        $this->expectException(ConfigurationException::class);
        new Client($key, 'https://b.example');
    }

    public function testInvalidOptionsAreRejected(): void
    {
        $this->expectException(ConfigurationException::class);
        new Options(timeout: 0);
    }

    private static function keyOfError(callable $call): ?string
    {
        try {
            $call();
        } catch (ConnectionException $error) {
            return $error->idempotencyKey;
        }
        self::fail('There is a response.');
    }
}
