<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\BlogsvcException;
use Blogsvc\Exception\WaitTimeoutException;
use Blogsvc\Record\Post;

/**
 * Waiting, for the resource of posts.
 *
 * @internal
 */
trait WaitsForPosts
{
    /**
     * Asks for a post until it has settled: it is neither scheduled nor being published, and no delivery is on its way.
     *
     * @param float                         $timeout  seconds
     * @param (callable(Post): void)|null   $progress is told of each answer that differs from the one before
     *
     * @throws WaitTimeoutException with the last post, where it had not settled in time
     * @throws BlogsvcException
     */
    public function wait(string $postId, float $timeout = 300, ?callable $progress = null): Post
    {
        $end = hrtime(true) + (int) ($timeout * 1e9);
        $post = null;
        for ($pause = 0.25;; $pause = min(5.0, $pause * 1.5)) {
            $etag = $post?->response?->etag;
            $news = $this->get($postId, options: $etag === null ? [] : ['ifNoneMatch' => $etag]);
            if ($news !== null && json_encode($news) !== json_encode($post)) {
                $post = $news;
                $progress === null || $progress($post);
            }
            if (self::isSettled($post)) {
                return $post;
            }
            $left = ($end - hrtime(true)) / 1e9;
            if ($left <= 0) {
                throw new WaitTimeoutException("$postId did not settle in time: it is {$post['status']}.", $post);
            }
            Time::pass(min($pause, $left));
        }
    }

    private static function isSettled(Post $post): bool
    {
        $states = array_column($post['deliveries'], 'state');

        return !\in_array($post['status'], ['scheduled', 'publishing'], true)
            && array_intersect($states, ['queued', 'sending', 'retrying']) === [];
    }
}
