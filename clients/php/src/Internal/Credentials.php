<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\ConfigurationException;

/**
 * Selects the API key and the URL: both as given, or both from the environment. A key is never combined with a URL from
 * another source, which could be that of another server.
 *
 * @internal
 */
final class Credentials
{
    /**
     * @return array{Secret, string}
     *
     * @throws ConfigurationException
     */
    public static function pick(
        #[\SensitiveParameter] string|NotGiven $apiKey,
        #[\SensitiveParameter] string|NotGiven $baseUrl,
    ): array {
        if ($apiKey instanceof NotGiven && $baseUrl instanceof NotGiven) {
            return self::fromEnvironment();
        }
        if ($baseUrl instanceof NotGiven) {
            throw new ConfigurationException(
                'Pass baseUrl together with apiKey. BLOGSVC_URL is used only without apiKey.',
            );
        }
        if ($apiKey instanceof NotGiven) {
            throw new ConfigurationException(
                'Pass apiKey together with baseUrl. BLOGSVC_API_KEY is used only without baseUrl.',
            );
        }

        return [new Secret($apiKey), $baseUrl];
    }

    /**
     * @return array{Secret, string}
     *
     * @throws ConfigurationException
     */
    private static function fromEnvironment(): array
    {
        $apiKey = self::variable('BLOGSVC_API_KEY');
        $baseUrl = self::variable('BLOGSVC_URL');
        if ($apiKey === '' || $baseUrl === '') {
            throw new ConfigurationException(match (true) {
                $apiKey !== '' => 'BLOGSVC_API_KEY is set, but BLOGSVC_URL is not. Set BLOGSVC_URL to the URL of the '
                    . 'server, for example https://blog.example.org.',
                $baseUrl !== '' => 'BLOGSVC_URL is set, but BLOGSVC_API_KEY is not. Set BLOGSVC_API_KEY to an API key '
                    . 'of this server.',
                default => 'No API key and no URL. Pass apiKey and baseUrl, or set BLOGSVC_API_KEY and BLOGSVC_URL.',
            });
        }

        return [new Secret($apiKey), $baseUrl];
    }

    private static function variable(string $name): string
    {
        // Libraries that load .env files often set only $_ENV.
        $value = getenv($name) ?: ($_ENV[$name] ?? '');

        return \is_string($value) ? trim($value) : '';
    }
}
