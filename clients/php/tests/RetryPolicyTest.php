<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Exception\ApiException;
use Blogsvc\Exception\ConnectionException;
use Blogsvc\Internal\RawResponse;
use Blogsvc\Internal\RetryPolicy;
use Blogsvc\Response;
use PHPUnit\Framework\TestCase;

final class RetryPolicyTest extends TestCase
{
    private const PROBLEM = '{"type": "https://blog.example.org/api/v1/problems/platform-unavailable"}';

    public function testThereAreMoreRetriesUntilTheTimeIsUp(): void
    {
        $policy = new RetryPolicy(maxRetries: 2, maxRetryWait: 60, retryFor: 60);
        self::assertNotNull($policy->delay(new ConnectionException('Gone.'), 20, self::startedAt(55)));
        self::assertNull($policy->delay(new ConnectionException('Gone.'), 20, self::startedAt(59)));
        self::assertNotNull($policy->delay(new ConnectionException('Gone.'), 2, self::startedAt(900)));
        self::assertNotNull($policy->delay(new ConnectionException('Gone.'), 20, self::startedAt(900), unlimited: true));
    }

    public function testTheBackoffGrowsToFourSeconds(): void
    {
        $policy = new RetryPolicy(maxRetries: \PHP_INT_MAX, maxRetryWait: 60, retryFor: 0);
        foreach ([1 => 0.5, 2 => 1.0, 4 => 4.0, 5 => 4.0, 5000 => 4.0] as $failures => $maximum) {
            $delay = $policy->delay(new ConnectionException('Gone.'), $failures, hrtime(true));
            self::assertGreaterThanOrEqual($maximum / 2, $delay);
            self::assertLessThanOrEqual($maximum, $delay);
        }
    }

    public function testTheServersWaitIsRespected(): void
    {
        $policy = new RetryPolicy(maxRetries: 0, maxRetryWait: 30, retryFor: 60);
        self::assertSame(25.0, $policy->delay(self::error(503, ['retry-after' => '25']), 1, hrtime(true)));
        self::assertNull($policy->delay(self::error(503, ['retry-after' => '25']), 1, self::startedAt(40)));
        self::assertNull($policy->delay(self::error(503, ['retry-after' => '31']), 1, hrtime(true)));
    }

    public function testErrorsOfAProxyAreRetriedOnlyWithRetryFor(): void
    {
        foreach ([502, 504] as $status) {
            self::assertNull((new RetryPolicy(4, 60, retryFor: 0))->delay(self::error($status), 1, hrtime(true)));
            self::assertNotNull((new RetryPolicy(4, 60, retryFor: 60))->delay(self::error($status), 1, hrtime(true)));
            self::assertTrue(RetryPolicy::isLost(self::error($status)));
        }
    }

    public function testA502OfTheApiItselfIsNotRetried(): void
    {
        $error = self::error(502, ['content-type' => 'application/problem+json'], self::PROBLEM);
        self::assertNull((new RetryPolicy(4, 60, retryFor: 60))->delay($error, 1, hrtime(true)));
        self::assertFalse(RetryPolicy::isLost($error));
    }

    /** @param array<string, string> $headers */
    private static function error(int $status, array $headers = [], string $body = ''): ApiException
    {
        return ApiException::fromResponse(new RawResponse(new Response($status, $headers), $body));
    }

    /** Returns the time by hrtime this many seconds ago. */
    private static function startedAt(float $seconds): int
    {
        return hrtime(true) - (int) ($seconds * 1e9);
    }
}
