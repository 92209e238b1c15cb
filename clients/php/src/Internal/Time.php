<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

/** @internal */
final class Time
{
    /** Formats a time as RFC 3339 in UTC, with microseconds if there are any. */
    public static function format(\DateTimeInterface $time): string
    {
        $utc = \DateTimeImmutable::createFromInterface($time)->setTimezone(new \DateTimeZone('UTC'));

        return $utc->format($utc->format('u') === '000000' ? 'Y-m-d\TH:i:s\Z' : 'Y-m-d\TH:i:s.u\Z');
    }

    /** Returns the seconds of a Retry-After header, which is a number or a date, or null if it is neither. */
    public static function retryAfter(?string $header): ?float
    {
        if ($header === null) {
            return null;
        }
        if (preg_match('/\A\d{1,9}(\.\d+)?\z/', $header) === 1) {
            return (float) $header;
        }
        $date = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $header, new \DateTimeZone('UTC'));

        return $date === false ? null : max(0.0, $date->getTimestamp() - microtime(true));
    }

    /** Sleeps for the whole time, even if a signal interrupts it. */
    public static function sleep(float $seconds): void
    {
        $end = hrtime(true) + (int) ($seconds * 1e9);
        while (($rest = $end - hrtime(true)) > 0) {
            usleep((int) ceil(min($rest, 1e9) / 1000));
        }
    }
}
