"""Bulk: change many posts in one request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from blogsvc import context
from blogsvc.api import posts, schemas, serializers
from blogsvc.api import publishing as publishing_api
from blogsvc.api.framework import auth
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.framework.problems import Problem, problem_of
from blogsvc.errors import BlogError, Busy
from blogsvc.models import Post, transaction
from blogsvc.models.revision import rendered
from blogsvc.posts import editing, publishing
from blogsvc.posts.publishing import PublishRequest

MAX_BULK_ITEMS = 100


class CreateIn(schemas.In):
    """Create a post."""

    operation: Literal["create"]
    post: schemas.PostIn

    def prepare(self) -> None:
        posts.render_ahead(self.post)

    def perform(self) -> Post:
        return posts.create(self.post)


class OnPost(schemas.In):
    id: str

    def prepare(self) -> None:
        pass


class UpdateIn(OnPost):
    """Update a post."""

    operation: Literal["update"]
    post: schemas.PostChange

    def prepare(self) -> None:
        posts.render_change_ahead(self.id, self.post)

    def perform(self) -> Post:
        return posts.change(self.id, self.post)


class BulkPublishIn(OnPost):
    """Publish a post, as `POST /posts/{id}/publish` does."""

    operation: Literal["publish"]
    platforms: schemas.SomePlatforms | None = None
    at: schemas.Ahead | None = None

    def prepare(self) -> None:
        rendered(Post.get(self.id).content)

    def perform(self) -> Post:
        _may_publish()
        return publishing_api.publish(self.id, PublishRequest(self.platforms, self.at))


class UnpublishIn(OnPost):
    """Unpublish a post."""

    operation: Literal["unpublish"]
    delete_copies: bool = False

    def perform(self) -> Post:
        _may_publish()
        return publishing.unpublish(Post.get(self.id), context.now(), delete_copies=self.delete_copies)


class DeleteIn(OnPost):
    """Move a post to the trash."""

    operation: Literal["delete"]
    withdraw: bool = False
    delete_copies: bool = False

    def perform(self) -> Post:
        return posts.discard(self.id, withdraw=self.withdraw, delete_copies=self.delete_copies)


class RestoreIn(OnPost):
    """Restore a post from the trash."""

    operation: Literal["restore"]

    def perform(self) -> Post:
        return editing.restore(Post.get(self.id, trashed=True), context.now())


class DuplicateIn(OnPost):
    """Duplicate a post."""

    operation: Literal["duplicate"]

    def perform(self) -> Post:
        return editing.duplicate(Post.get(self.id), context.now(), quota=auth.quota())


def _may_publish() -> None:
    auth.require_scope("posts:publish")
    auth.count("publish")


Change = CreateIn | UpdateIn | BulkPublishIn | UnpublishIn | DeleteIn | RestoreIn | DuplicateIn


class BulkIn(schemas.In):
    """Up to 100 operations, which run in order, each with its own result."""

    operations: Annotated[
        list[Annotated[Change, Field(discriminator="operation")]], Field(min_length=1, max_length=MAX_BULK_ITEMS)
    ]


class ResultOut(schemas.Out):
    """The result of one operation: the status and the post or problem that a single request would have returned."""

    status: int
    post: schemas.PostOut | None
    problem: schemas.ProblemOut | None


class BulkOut(schemas.Out):
    """The result of each operation, in the order of the request."""

    results: list[ResultOut]


def _prepare(body: BulkIn) -> None:
    for change in body.operations:
        _try(change.prepare)


@operation(
    "POST",
    "/posts/bulk",
    "Change up to 100 posts",
    scope="posts:write",
    body=BulkIn,
    answers={200: BulkOut},
    prepare=_prepare,
)
def change_posts(body: BulkIn) -> Reply:
    """Runs the operations in order. Each succeeds or fails on its own; the response has one result for each.

    Each operation needs the scopes that its own request needs, and `posts:read`, unless it creates a post.
    """
    with transaction():
        results = [_result(change) for change in body.operations]
    return Reply(BulkOut.model_construct(results=results), has_etag=False)


def _result(change: Change) -> ResultOut:
    """Run one operation, and roll it back if it fails."""
    post, problem = _try(lambda: _perform(change))
    if problem is not None:
        document = schemas.ProblemOut.model_validate(problem.document())
        return ResultOut.model_construct(status=problem.status, post=None, problem=document)
    status = 201 if isinstance(change, CreateIn | DuplicateIn) else 200
    return ResultOut.model_construct(status=status, post=serializers.post(post), problem=None)


def _perform(change: Change) -> Post:
    if isinstance(change, OnPost):
        auth.require_scope("posts:read")
    with transaction():
        return change.perform()


def _try(act: Callable[[], Any]) -> tuple[Any, Problem | None]:
    """Return the result of `act`, or the problem for an expected error. Other errors fail the whole request."""
    try:
        return act(), None
    except (BlogError, Problem) as error:
        if isinstance(error, Busy):
            raise
        return None, problem_of(error)
