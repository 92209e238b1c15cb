<?php

declare(strict_types=1);

namespace Blogsvc;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Internal\Credentials;
use Blogsvc\Internal\Endpoint;
use Blogsvc\Internal\NotGiven;
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
     * Pass both the API key and the URL, or neither: without both, the environment variables `BLOGSVC_API_KEY` and
     * `BLOGSVC_URL` are used. They are not combined with what is given.
     *
     * @param string $apiKey  the API key (`bsk_...`)
     * @param string $baseUrl the URL of the server that the key belongs to
     *
     * @throws ConfigurationException if the key or the URL is missing or invalid
     */
    public function __construct(
        #[\SensitiveParameter] string|NotGiven $apiKey = NotGiven::Value,
        // Hidden as well, since it is the key if both are swapped.
        #[\SensitiveParameter] string|NotGiven $baseUrl = NotGiven::Value,
        ?Options $options = null,
    ) {
        [$this->apiKey, $this->baseUrl] = Credentials::pick($apiKey, $baseUrl);
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
}
