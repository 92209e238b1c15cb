"""Deliveries: the delivery of a post to one destination."""

from __future__ import annotations

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.delivery import decide, extra_copies, reconcile
from blogsvc.models import Delivery, Post


@operation(
    "GET",
    "/deliveries/<delivery_id>",
    "Get a delivery",
    scope="posts:read",
    answers={200: schemas.DeliveryDetailOut, 304: None},
    refuses=(404,),
)
def get_delivery(delivery_id: str) -> Reply:
    """Returns the delivery with all attempts.

    `uncertain` means that the request was sent but no response arrived: check the platform, then resolve the delivery.
    """
    return _reply(Delivery.get(delivery_id, trashed=True))


@operation(
    "POST",
    "/deliveries/<delivery_id>/retry",
    "Retry a delivery",
    scope="posts:publish",
    tier="publish",
    answers={202: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def retry_delivery(delivery_id: str) -> Reply:
    """Retries a failed or waiting delivery now, without waiting for the back-off.

    If the copy was edited or deleted on the platform (`drift`, or the error `conflict`), a retry overwrites it or
    creates it again. Resolve an uncertain delivery instead.
    """
    return _reply(decide.retry(Delivery.get(delivery_id), context.now()), 202)


@operation(
    "POST",
    "/deliveries/<delivery_id>/resolve",
    "Resolve a delivery",
    scope="posts:publish",
    tier="publish",
    body=schemas.ResolveIn,
    answers={200: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def resolve_delivery(delivery_id: str, body: schemas.ResolveIn) -> Reply:
    """Resolves an uncertain delivery, or one that a person does by hand (`awaiting_hand`).

    Uncertain: send `delivered` if the copy exists, optionally with its `url`; send `retry` if it does not, to send it
    again. Of a copy that was created, `url` is only a link: later changes aren't sent to the copy, and a withdrawal
    fails with `unsupported`, because a person has to delete the copy. The link of another copy is refused.

    By hand: send `delivered` with the `url` of the copy after it was posted. After an update or a deletion by hand,
    `url` is not needed.
    """
    delivery = _delivery_to_settle(delivery_id)
    if body.outcome == "delivered":
        return _reply(decide.resolve_delivered(delivery, body.url, context.now(), context.tools()))
    return _reply(decide.resolve_again(delivery, context.now()))


@operation(
    "POST",
    "/deliveries/<delivery_id>/leave",
    "Dismiss a failed or changed delivery",
    scope="posts:publish",
    tier="publish",
    answers={200: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def leave_delivery(delivery_id: str) -> Reply:
    """Leaves the copy as it is and removes the delivery from the attention list. Later changes are still delivered.

    Extra copies stay on the platform, too.
    """
    return _reply(decide.leave(_delivery_to_settle(delivery_id), context.now()))


@operation(
    "POST",
    "/deliveries/<delivery_id>/remove-extra-copies",
    "Remove the extra copies of a delivery",
    scope="posts:publish",
    tier="publish",
    answers={202: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def remove_extra_copies(delivery_id: str) -> Reply:
    """Deletes the extra copies on this platform (`extraCopies`), and keeps the one that the delivery knows.

    Extra copies exist if a request arrived after it was given up. To keep them, dismiss the delivery.
    """
    return _reply(extra_copies.remove_extra_copies(Delivery.get(delivery_id), context.now()), 202)


@operation(
    "POST",
    "/deliveries/<delivery_id>/withdraw",
    "Withdraw a delivery",
    scope="posts:publish",
    tier="publish",
    body=schemas.WithdrawIn,
    is_body_required=False,
    answers={202: schemas.DeliveryDetailOut},
    refuses=(404, 409),
)
def withdraw_delivery(delivery_id: str, body: schemas.WithdrawIn) -> Reply:
    """Unpublishes the copy on this platform. The post and its other copies stay.

    Where the connector can `unpublish`, the copy becomes a draft (`isDraft`), which keeps its address, comments and
    figures, and publishing again publishes the same copy. Otherwise, and with `delete`, the copy is deleted.

    If somebody edited the copy on the platform, the delivery fails with the code `edited`: retry it to unpublish the
    copy all the same, or dismiss it to keep the copy.
    """
    return _reply(decide.withdraw(Delivery.get(delivery_id), context.now(), delete=body.delete), 202)


@operation(
    "GET",
    "/posts/<post_id>/deliveries",
    "List the deliveries of a post",
    scope="posts:read",
    answers={200: schemas.DeliveriesOut},
    refuses=(404,),
)
def list_post_deliveries(post_id: str) -> Reply:
    """Returns one delivery for each destination that the post was published to or is being published to."""
    rows, known = Post.get(post_id, trashed=True).deliveries, KnownDestinations()
    return Reply(schemas.DeliveriesOut(data=[serializers.delivery(row, known) for row in rows]), has_etag=False)


@operation(
    "POST",
    "/posts/<post_id>/verify",
    "Verify the copies of a post",
    scope="posts:publish",
    tier="publish",
    answers={200: schemas.CopiesOut},
    is_atomic=False,
    refuses=(404,),
)
def verify_post(post_id: str) -> Reply:
    """Checks on each platform whether the copy exists and matches what was sent.

    `edited` and `gone` are stored as `drift` of the delivery. Nothing is overwritten: retry the delivery to restore the
    copy, or dismiss it. Parts that the platform doesn't show are stored as `losses`. Every copy is also checked once a
    day.
    """
    findings = reconcile.check_now(Post.get(post_id), context.tools())
    copies = [
        schemas.CopyOut(
            delivery_id=row.id,
            platform=row.destination,
            state=finding.state,
            url=serializers.delivery(row).url,
            detail=finding.detail,
        )
        for row, finding in findings
    ]
    return Reply(schemas.CopiesOut(data=copies), has_etag=False)


def _delivery_to_settle(delivery_id: str) -> Delivery:
    """Return a delivery. Of a post in the trash, only a copy that a person has to delete can be settled."""
    delivery = Delivery.get(delivery_id, trashed=True)
    is_to_delete = delivery.state == "awaiting_hand" and delivery.revision_id is None
    return delivery if is_to_delete else Delivery.get(delivery_id)


def _reply(delivery: Delivery, status: int = 200) -> Reply:
    return Reply(serializers.delivery_in_full(delivery), status)
