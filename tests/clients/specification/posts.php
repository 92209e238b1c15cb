<?php

// All operations of the specification with PHP's streams. It needs KEY, BASE and PLATFORM.

function call(string $method, string $path, ?array $body = null): array
{
    $headers = 'Authorization: Bearer ' . getenv('KEY') . "\r\nContent-Type: application/json";
    $content = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR);
    $http = ['method' => $method, 'header' => $headers, 'content' => $content, 'ignore_errors' => true];
    $text = file_get_contents(getenv('BASE') . "/api/v1$path", false, stream_context_create(['http' => $http]));
    $document = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    if (!preg_match('/ 2\d\d/', $http_response_header[0])) {
        throw new RuntimeException($text);
    }
    return $document;
}

$post = call('POST', '/posts', [
    'title' => 'Hello',
    'content' => 'From PHP.',
    'platforms' => [getenv('PLATFORM')],
    'scheduledAt' => gmdate('Y-m-d\TH:i:s\Z', time() + 3600),
]);
echo "created\n";
call('GET', '/posts');
echo "listed\n";
call('PUT', "/posts/{$post['id']}", ['title' => 'Hello again']);
echo "updated\n";
call('POST', "/posts/{$post['id']}/publish");
echo "published\n";
call('GET', '/analytics');
echo "measured\n";
call('DELETE', "/posts/{$post['id']}");
echo "deleted\n";
