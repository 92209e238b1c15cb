<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Internal\Api;
use Blogsvc\Internal\Resources;
use Blogsvc\Internal\Secret;
use Blogsvc\Internal\Server;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * A blogsvc, seen with an API key.
 *
 *     $client = new Client('bsk_...', 'https://blog.example.org');
 *     $post = $client->posts->create(['title' => 'Ink', 'content' => 'Iron gall.']);
 *     $client->posts->publish($post->id);
 *
 * A client has no state and no open connection: it can be kept for as long as one likes.
 */
final class Client
{
    use Resources;

    public const VERSION = '0.1.0';

    private readonly Secret $apiKey;
    private readonly string $baseUrl;
    private readonly Options $options;
    private readonly Api $api;

    /**
     * @param string|null $apiKey  `bsk_...`; else `BLOGSVC_API_KEY` of the environment
     * @param string|null $baseUrl its address, such as `https://blog.example.org`; else `BLOGSVC_URL` of it
     *
     * @throws ConfigurationException where there is no key or no address, or where it is plain HTTP beyond loopback
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey = null,
        ?string $baseUrl = null,
        ?Options $options = null,
    ) {
        $this->apiKey = new Secret($apiKey ?? self::environment('BLOGSVC_API_KEY', 'API key'));
        $this->baseUrl = $baseUrl ?? self::environment('BLOGSVC_URL', 'address');
        $this->options = $options ?? new Options();
        $this->api = Api::of(new Server($this->baseUrl, $this->apiKey, $this->options->allowHttp), $this->options);
        $this->open($this->api);
    }

    /**
     * The same client with other options. What is not given stays as it is.
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
     * What `var_dump` and `print_r` show: not the key.
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
     * @throws \LogicException always: the key would go along
     */
    public function __serialize(): array
    {
        throw new \LogicException('A client holds a key, so it is not serialized: make it anew from its key.');
    }

    /** @throws ConfigurationException */
    private static function environment(string $name, string $what): string
    {
        // Those who load a .env file often fill $_ENV alone.
        $text = getenv($name) ?: ($_ENV[$name] ?? '');
        if (!\is_string($text) || $text === '') {
            throw new ConfigurationException("There is no $what: give one, or set $name in the environment.");
        }

        return $text;
    }
}
