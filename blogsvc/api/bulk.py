"""Bulk: change many posts in one request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, cast

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from blogsvc import context
from blogsvc.api import posts, schemas, serializers
from blogsvc.api import publishing as publishing_api
from blogsvc.api.framework import auth, requests
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.framework.problems import Problem, problem_of
from blogsvc.errors import BlogError, Busy, Invalid
from blogsvc.models import Post, transaction
from blogsvc.models.transactions import savepoint
from blogsvc.posts import editing, prepare, publishing, trash
from blogsvc.posts.prepare import PreparedPost, PreparedText
from blogsvc.posts.publish_request import PublishRequest

MAX_BULK_ITEMS = 100


class CreateIn(schemas.In):
    """Create a post."""

    operation: Literal["create"]
    """Always `create`."""
    post: schemas.PostIn
    """The new post, as in `POST /posts`."""

    def prepare(self) -> PreparedText:
        return posts.prepare_new(self.post)

    def perform(self, prepared: PreparedText | None) -> Post:
        return posts.create(self.post, prepared or self.prepare())


class OnPost(schemas.In):
    id: str
    """The id of the post."""

    def prepare(self) -> object:
        return None


@dataclass(frozen=True)
class Sent:
    """The fields of a change, to be compared with the post when it is their turn."""

    fields: dict[str, Any]


def _as_sent(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    return Sent(value) if isinstance(value, dict) else validate(value)


class UpdateIn(OnPost):
    """Update a post."""

    operation: Literal["update"]
    """Always `update`."""
    post: Annotated[schemas.PostChange, WrapValidator(_as_sent)]
    """The fields to change, as in `PATCH /posts/{id}`."""

    def prepare(self) -> PreparedText:
        return posts.prepare_change(self.id, self._change())

    def perform(self, prepared: PreparedText | None) -> Post:
        return posts.change(self.id, self._change(), prepared or self.prepare())

    def _change(self) -> schemas.PostChange:
        sent = cast(Sent, self.post).fields
        return requests.changes(schemas.PostChange, sent, "#/", lambda: posts.stored_post(self.id))


class BulkPublishIn(OnPost):
    """Publish a post, as `POST /posts/{id}/publish` does."""

    operation: Literal["publish"]
    """Always `publish`."""
    platforms: schemas.SomePlatforms | None = None
    """The names of 1 to 100 destinations to publish to. Absent or null: all destinations of the post."""
    at: schemas.Ahead | None = None
    """When to publish: an RFC 3339 time with an offset, at most five years ahead. Absent or null: now."""

    def prepare(self) -> PreparedPost:
        auth.require_scope("posts:publish")
        return prepare.publication(Post.get(self.id), self._request, context.tools())

    def perform(self, prepared: PreparedPost | None) -> Post:
        _may_publish()
        return publishing_api.publish(self.id, self._request, prepared or self.prepare())

    @property
    def _request(self) -> PublishRequest:
        return PublishRequest(self.platforms, self.at)


class UnpublishIn(OnPost):
    """Unpublish a post."""

    operation: Literal["unpublish"]
    """Always `unpublish`."""
    delete_copies: bool = False
    """True deletes the copies. False keeps them as drafts where the platform has drafts."""

    def perform(self, _prepared: object) -> Post:
        _may_publish()
        return publishing.unpublish(Post.get(self.id), context.now(), delete_copies=self.delete_copies)


class DeleteIn(OnPost):
    """Move a post to the trash."""

    operation: Literal["delete"]
    """Always `delete`."""
    withdraw: bool = False
    """True also unpublishes the copies on other platforms: as drafts where possible."""
    delete_copies: bool = False
    """True also deletes the copies on other platforms."""

    def perform(self, _prepared: object) -> Post:
        return posts.discard(self.id, withdraw=self.withdraw, delete_copies=self.delete_copies)


class RestoreIn(OnPost):
    """Restore a post from the trash."""

    operation: Literal["restore"]
    """Always `restore`."""

    def perform(self, _prepared: object) -> Post:
        return trash.restore(Post.get(self.id, trashed=True), context.now())


class DuplicateIn(OnPost):
    """Duplicate a post."""

    operation: Literal["duplicate"]
    """Always `duplicate`."""

    def perform(self, _prepared: object) -> Post:
        return editing.duplicate(Post.get(self.id), context.now(), quota=auth.quota())


def _may_publish() -> None:
    auth.require_scope("posts:publish")
    auth.count("publish")


@dataclass(frozen=True)
class Malformed:
    """An operation that is not valid by itself, so that it fails without the others."""

    invalid: Invalid

    def prepare(self) -> object:
        return None

    def perform(self, _prepared: object) -> Post:
        raise self.invalid


def _or_malformed(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError as error:
        return Malformed(requests.invalid(error, "#/", tag=value.get("operation") if isinstance(value, dict) else None))


Change = CreateIn | UpdateIn | BulkPublishIn | UnpublishIn | DeleteIn | RestoreIn | DuplicateIn


class BulkIn(schemas.In):
    """Up to 100 operations, which run in order, each with its own result."""

    operations: Annotated[
        list[Annotated[Change, Field(discriminator="operation"), WrapValidator(_or_malformed)]],
        Field(min_length=1, max_length=MAX_BULK_ITEMS),
    ]
    """1 to 100 operations, in the order in which they run."""


class ResultOut(schemas.Out):
    """The result of one operation: the status and the post or problem that a single request would have returned.

    The pointers of the problem refer to the body of the bulk request, such as `#/operations/3/post/title`.
    """

    status: int
    """The HTTP status that a single request would have returned."""
    post: schemas.PostOut | None
    """The post after the operation. Null if it failed."""
    problem: schemas.ProblemOut | None
    """The problem. Null if the operation succeeded."""


class BulkOut(schemas.Out):
    """The result of each operation, in the order of the request."""

    results: list[ResultOut]
    """The results, in the order of the operations."""


def _prepare(body: BulkIn) -> list[object]:
    """Prepare the operations. One that can't be prepared yet, because it follows another one, is None."""
    return [_try(change.prepare)[0] for change in body.operations]


@operation(
    "POST",
    "/posts/bulk",
    "Change up to 100 posts",
    scope="posts:write",
    body=BulkIn,
    answers={200: BulkOut},
    prepare=_prepare,
)
def change_posts(body: BulkIn, prepared: list[object]) -> Reply:
    """Runs the operations in order. Each succeeds or fails on its own; the response has one result for each.

    A malformed operation fails on its own, too, with status 422.

    Each operation needs the scopes that its own request needs, and `posts:read`, unless it creates a post.
    """
    with transaction():
        results = [
            _result(change, of_change, f"#/operations/{number}")
            for number, (change, of_change) in enumerate(zip(body.operations, prepared, strict=True))
        ]
    return Reply(BulkOut.model_construct(results=results), has_etag=False)


def _result(change: Change | Malformed, prepared: object, at: str) -> ResultOut:
    """Run the operation at this place in the body, and roll it back if it fails."""
    post, problem = _try(
        lambda: _perform(change, prepared), at + ("/post" if isinstance(change, CreateIn | UpdateIn) else "")
    )
    if problem is not None:
        document = schemas.ProblemOut.model_validate(problem.document())
        return ResultOut.model_construct(status=problem.status, post=None, problem=document)
    status = 201 if isinstance(change, CreateIn | DuplicateIn) else 200
    return ResultOut.model_construct(status=status, post=serializers.post(post), problem=None)


def _perform(change: Change | Malformed, prepared: Any) -> Post:
    if isinstance(change, OnPost):
        auth.require_scope("posts:read")
    with savepoint():
        return change.perform(prepared)


def _try(act: Callable[[], Any], at: str = "#") -> tuple[Any, Problem | None]:
    """Return the result of `act`, or the problem for an expected error. Other errors fail the whole request.

    The pointers of the problem are moved from `#` to `at`.
    """
    try:
        return act(), None
    except (BlogError, Problem) as error:
        if isinstance(error, Busy):
            raise
        problem = problem_of(error)
        if "errors" not in problem.more:
            return None, problem
        moved = [fault | {"pointer": _moved(fault["pointer"], at)} for fault in problem.more["errors"]]
        return None, replace(problem, more={**problem.more, "errors": moved})


def _moved(pointer: str, at: str) -> str:
    return at + pointer.removeprefix("#").removesuffix("/")
