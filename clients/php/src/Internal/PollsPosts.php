<?php

declare(strict_types=1);

namespace Blogsvc\Internal;

use Blogsvc\Exception\BlogsvcException;
use Blogsvc\Exception\WaitTimeoutException;
use Blogsvc\Record\Post;

/**
 * Adds `wait` to the posts resource.
 *
 * @internal
 */
trait PollsPosts
{
    /**
     * Wait until a post has finished publishing.
     *
     * A post has finished when its status is not `scheduled` and none of its deliveries is
     * `queued`, `sending` or `retrying`.
     *
     * @param string                      $postId   The id of a post.
     * @param float                       $timeout  Seconds to wait.
     * @param (callable(Post): void)|null $progress Called with the post each time it has changed.
     *
     * @throws WaitTimeoutException if the post has not finished in time; `post` is its last known state
     * @throws BlogsvcException
     */
    public function wait(string $postId, float $timeout = 300, ?callable $progress = null): Post
    {
        $deadline = hrtime(true) + (int) ($timeout * 1e9);
        $post = null;
        for ($delay = 0.25;; $delay = min(5.0, $delay * 1.5)) {
            $etag = $post?->response?->etag;
            $current = $this->get($postId, options: $etag === null ? [] : ['ifNoneMatch' => $etag]);
            if ($current !== null && json_encode($current) !== json_encode($post)) {
                $post = $current;
                $progress === null || $progress($post);
            }
            if (self::isFinished($post)) {
                return $post;
            }
            $left = ($deadline - hrtime(true)) / 1e9;
            if ($left <= 0) {
                $message = "Post $postId has not finished within $timeout s. Its status is {$post['status']}.";
                throw new WaitTimeoutException($message, $post);
            }
            Time::sleep(min($delay, $left));
        }
    }

    private static function isFinished(Post $post): bool
    {
        $states = array_column($post['deliveries'], 'state');

        return $post['status'] !== 'scheduled'
            && array_intersect($states, ['queued', 'sending', 'retrying']) === [];
    }
}
