"""Deliveries: how one post fares at one destination, and what a person may do about it."""

from __future__ import annotations

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.delivery import deliver, reconcile
from blogsvc.models import Delivery, Post


@operation(
    "GET",
    "/deliveries/<delivery_id>",
    "Read a delivery, with every attempt",
    scope="posts:read",
    answers={200: schemas.DeliveryDetailOut, 304: None},
    refuses=(404,),
)
def get_delivery(delivery_id: str) -> Reply:
    """`uncertain` means that it was sent and no answer came; look there, then resolve it."""
    return _reply(Delivery.get(delivery_id, trashed=True))


@operation(
    "POST",
    "/deliveries/<delivery_id>/retry",
    "Try a delivery now that failed, waits, or whose copy was changed there",
    scope="posts:publish",
    tier="publish",
    answers={202: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def retry_delivery(delivery_id: str) -> Reply:
    """Whatever its back-off says. Where the copy was changed or removed there (`drift`, or the error `conflict`), this
    is its author's word to write over it, or to make it anew. One that is uncertain is resolved instead.
    """
    return _reply(deliver.retry(Delivery.get(delivery_id), context.now()), 202)


@operation(
    "POST",
    "/deliveries/<delivery_id>/resolve",
    "Say of an uncertain delivery whether the copy is there",
    scope="posts:publish",
    tier="publish",
    body=schemas.ResolveIn,
    answers={200: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def resolve_delivery(delivery_id: str, body: schemas.ResolveIn) -> Reply:
    """`delivered` where the copy is there, with its address if you like; `retry` where it is not: it is sent again."""
    delivery = Delivery.get(delivery_id)
    if body.outcome == "delivered":
        return _reply(deliver.resolve_delivered(delivery, body.url, context.now()))
    return _reply(deliver.resolve_again(delivery, context.now()))


@operation(
    "POST",
    "/deliveries/<delivery_id>/leave",
    "Leave a copy as it is: it failed, or was changed or removed there, and that shall be so",
    scope="posts:publish",
    tier="publish",
    answers={200: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def leave_delivery(delivery_id: str) -> Reply:
    """It is asked about no more. The next change of the post goes there all the same."""
    return _reply(deliver.leave(Delivery.get(delivery_id), context.now()))


@operation(
    "POST",
    "/deliveries/<delivery_id>/withdraw",
    "Take the copy down there; the post and its other copies stay",
    scope="posts:publish",
    tier="publish",
    answers={202: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def withdraw_delivery(delivery_id: str) -> Reply:
    return _reply(deliver.withdraw(Delivery.get(delivery_id), context.now()), 202)


@operation(
    "GET",
    "/posts/<post_id>/deliveries",
    "Where a post went, and how that stands",
    scope="posts:read",
    answers={200: schemas.DeliveriesOut},
    refuses=(404,),
)
def list_post_deliveries(post_id: str) -> Reply:
    rows = Post.get(post_id, trashed=True).deliveries
    return Reply(schemas.DeliveriesOut(data=[serializers.delivery(row) for row in rows]), has_etag=False)


@operation(
    "POST",
    "/posts/<post_id>/verify",
    "Ask the platforms whether the copies are there, and as we sent them",
    scope="posts:publish",
    tier="publish",
    answers={200: schemas.CopiesOut},
    is_atomic=False,
    refuses=(404,),
)
def verify_post(post_id: str) -> Reply:
    """`edited` and `gone` are remembered as `drift` of the delivery. Nothing is written over: retry a delivery to have
    its copy as it was sent, or leave it. Each copy is also looked at once a day.
    """
    found = reconcile.check_now(Post.get(post_id), context.tools())
    copies = [
        schemas.CopyOut(
            delivery_id=row.id,
            platform=row.platform,
            state=finding.standing,
            url=serializers.delivery(row).url,
            detail=finding.detail,
        )
        for row, finding in found
    ]
    return Reply(schemas.CopiesOut(data=copies), has_etag=False)


def _reply(delivery: Delivery, status: int = 200) -> Reply:
    return Reply(serializers.delivery_in_full(delivery), status)
