<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Internal\Endpoint;
use Blogsvc\Internal\Requestor;
use Blogsvc\Internal\Resources;
use Blogsvc\Internal\Secret;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * A client of the blogsvc API.
 *
 *     $client = new Client('bsk_...', 'https://blog.example.org');
 *     $post = $client->posts->create(['title' => 'Ink', 'content' => 'Iron gall.']);
 *     $client->posts->publish($post->id);
 */
final class Client
{
    use Resources;

    public const VERSION = '0.1.0';

    private readonly Secret $apiKey;
    private readonly string $baseUrl;
    private readonly Options $options;
    private readonly Requestor $requestor;

    /**
     * @param string|null $apiKey  the API key (`bsk_...`); default: the environment variable `BLOGSVC_API_KEY`
     * @param string|null $baseUrl the URL of the server; default: the environment variable `BLOGSVC_URL`
     *
     * @throws ConfigurationException if the key or the URL is missing or invalid
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey = null,
        ?string $baseUrl = null,
        ?Options $options = null,
    ) {
        $this->apiKey = new Secret($apiKey ?? self::environment('BLOGSVC_API_KEY', 'API key'));
        $this->baseUrl = $baseUrl ?? self::environment('BLOGSVC_URL', 'URL');
        $this->options = $options ?? new Options();
        $endpoint = new Endpoint($this->baseUrl, $this->apiKey, $this->options->allowHttp);
        $this->requestor = Requestor::create($endpoint, $this->options);
        $this->createResources($this->requestor);
    }

    /**
     * Returns a copy of this client with other options. Options that are not given stay the same.
     *
     *     $client->withOptions(timeout: 5, maxRetries: 0)->me();
     *
     * @param (callable(array<string, mixed>): void)|null $log
     *
     * @throws ConfigurationException
     */
    public function withOptions(
        ?float $timeout = null,
        ?int $maxRetries = null,
        ?float $maxRetryWait = null,
        ?float $retryFor = null,
        ?bool $allowHttp = null,
        ?callable $log = null,
        ?ClientInterface $httpClient = null,
        ?RequestFactoryInterface $requestFactory = null,
        ?StreamFactoryInterface $streamFactory = null,
    ): self {
        $changes = array_filter(get_defined_vars(), static fn (mixed $given): bool => $given !== null);

        return new self(
            $this->apiKey->reveal(),
            $this->baseUrl,
            new Options(...[...get_object_vars($this->options), ...$changes]),
        );
    }

    /**
     * Hides the API key from `var_dump` and `print_r`.
     *
     * @return array<string, mixed>
     */
    public function __debugInfo(): array
    {
        return ['apiKey' => $this->apiKey, 'baseUrl' => $this->baseUrl, 'options' => $this->options];
    }

    /**
     * @return never
     *
     * @throws \LogicException always, since the result would contain the API key
     */
    public function __serialize(): array
    {
        throw new \LogicException('A client cannot be serialized, since it contains the API key. Create a new client.');
    }

    /** @throws ConfigurationException */
    private static function environment(string $name, string $what): string
    {
        // Libraries that load .env files often set only $_ENV.
        $value = getenv($name) ?: ($_ENV[$name] ?? '');
        if (!\is_string($value) || $value === '') {
            throw new ConfigurationException("No $what. Pass it to the client or set $name.");
        }

        return $value;
    }
}
