"""The operations of the API, by resource. Generated (`make clients`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Literal, overload

from . import types
from ._call import Call
from ._form import File, FileInput
from ._pages import Page
from ._sender import Sender
from ._streams import Stream
from ._waiting import WaitsForPosts
from ._writing import NOT_GIVEN, NotGiven


class Analytics:
    """How posts did, on our own blog and elsewhere."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def get(
        self,
        *,
        from_: date | str | None = None,
        to: date | str | None = None,
        interval: Literal["day", "week", "month"] | None = None,
        timezone: str | None = None,
        platform: Sequence[str] | None = None,
        metric: Sequence[types.Metric] | None = None,
        group_by: Literal["post", "platform", "day"] | None = None,
        post_id: Sequence[str] | None = None,
    ) -> types.Analytics:
        """How posts did, here and elsewhere.

        A metric that a platform does not offer is null, never 0. Views of our own blog are counted without cookies.

        The key needs the scope `analytics:read`.

        Args:
            from_: A date or a time.
            to: A date, which is taken in, or a time, which is not.
            interval: Of the series.
            timezone: Whose days they are, such as `Europe/Berlin`.
            platform: These alone.
            metric: These alone.
            group_by: This grouping alone, instead of all three.
            post_id: These alone.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.Analytics,
            Call(
                "GET",
                ("analytics",),
                query={
                    "from": from_,
                    "to": to,
                    "interval": interval,
                    "timezone": timezone,
                    "platform": platform,
                    "metric": metric,
                    "groupBy": group_by,
                    "postId": post_id,
                },
            ),
        )


class Deliveries:
    """How one post fares at one destination, and what a person may do about it."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @overload
    def get(self, delivery_id: str, *, if_none_match: None = None) -> types.DeliveryDetail: ...

    @overload
    def get(self, delivery_id: str, *, if_none_match: str | None) -> types.DeliveryDetail | None: ...

    def get(self, delivery_id: str, *, if_none_match: str | None = None) -> types.DeliveryDetail | None:
        """Read a delivery, with every attempt.

        `uncertain` means that it was sent and no answer came; look there, then resolve it.

        The key needs the scope `posts:read`.

        Args:
            delivery_id: The id of a delivery.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.maybe(
            types.DeliveryDetail, Call("GET", ("deliveries", delivery_id), if_none_match=if_none_match)
        )

    def retry(self, delivery_id: str, *, idempotency_key: str | None = None) -> types.DeliveryDetail:
        """Try a delivery now that failed, waits, or whose copy was changed there.

        Whatever its back-off says. Where the copy was changed or removed there (`drift`, or the error `conflict`), this
        is its author's word to write over it, or to make it anew. One that is uncertain is resolved instead.

        The key needs the scope `posts:publish`.

        Args:
            delivery_id: The id of a delivery.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.DeliveryDetail, Call("POST", ("deliveries", delivery_id, "retry"), idempotency_key=idempotency_key)
        )

    def resolve(
        self,
        delivery_id: str,
        *,
        outcome: Literal["delivered", "retry"],
        url: str | NotGiven | None = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> types.DeliveryDetail:
        """Say of an uncertain delivery whether the copy is there.

        `delivered` where the copy is there, with its address if you like; `retry` where it is not: it is sent again.

        The key needs the scope `posts:publish`.

        Args:
            delivery_id: The id of a delivery.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.DeliveryDetail,
            Call(
                "POST",
                ("deliveries", delivery_id, "resolve"),
                body={"outcome": outcome, "url": url},
                idempotency_key=idempotency_key,
            ),
        )

    def leave(self, delivery_id: str, *, idempotency_key: str | None = None) -> types.DeliveryDetail:
        """Leave a copy as it is: it failed, or was changed or removed there, and that shall be so.

        It is asked about no more. The next change of the post goes there all the same.

        The key needs the scope `posts:publish`.

        Args:
            delivery_id: The id of a delivery.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.DeliveryDetail, Call("POST", ("deliveries", delivery_id, "leave"), idempotency_key=idempotency_key)
        )

    def withdraw(self, delivery_id: str, *, idempotency_key: str | None = None) -> types.DeliveryDetail:
        """Take the copy down there; the post and its other copies stay.

        The key needs the scope `posts:publish`.

        Args:
            delivery_id: The id of a delivery.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.DeliveryDetail, Call("POST", ("deliveries", delivery_id, "withdraw"), idempotency_key=idempotency_key)
        )


class Events:
    """What happened, as a list and as a stream."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        after: str | None = None,
        type: Sequence[types.EventType] | None = None,
        post_id: str | None = None,
        sort: Literal["createdAt", "-createdAt"] | None = None,
    ) -> Page[types.Event]:
        """What happened in the last 30 days, oldest first.

        The key needs the scope `posts:read`.

        Args:
            limit: How many to a page.
            cursor: `nextCursor` of the page before.
            after: The id of the last event that is known already.
            type: Events of these types alone.
            post_id: Events of this post alone.
            sort: `-` is the newest first.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.page(
            types.Event,
            Call(
                "GET",
                ("events",),
                query={"limit": limit, "cursor": cursor, "after": after, "type": type, "postId": post_id, "sort": sort},
            ),
        )

    def stream(
        self, *, after: str | None = None, type: Sequence[types.EventType] | None = None, post_id: str | None = None
    ) -> Stream[types.Event]:
        """The same as server-sent events, from now on or after a known one.

        For ever, as they happen. Where the connection breaks off it comes back, and no event is missed or told twice.
        An error that no other attempt mends ends it.

        The key needs the scope `posts:read`.

        Args:
            after: The id of the last event that is known already.
            type: Events of these types alone.
            post_id: Events of this post alone.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.stream(
            types.Event,
            Call(
                "GET", ("events", "stream"), query={"after": after, "type": type, "postId": post_id}, last_event_id=""
            ),
        )


class Keys:
    """A key with `keys:write` manages those that have no more than it has itself."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(
        self,
        *,
        name: str,
        scopes: Sequence[types.Scope],
        expires_at: datetime | str | NotGiven | None = NOT_GIVEN,
        limits: types.LimitsInput | NotGiven | None = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> types.NewKey:
        """Make a key, whose text is shown this once.

        The key needs the scope `keys:write`.

        Args:
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.NewKey,
            Call(
                "POST",
                ("keys",),
                body={"name": name, "scopes": scopes, "expiresAt": expires_at, "limits": limits},
                idempotency_key=idempotency_key,
            ),
        )

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Page[types.Key]:
        """List keys, newest first; those that have ended too.

        The key needs the scope `keys:write`.

        Args:
            limit: How many to a page.
            cursor: `nextCursor` of the page before.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.page(types.Key, Call("GET", ("keys",), query={"limit": limit, "cursor": cursor}))

    @overload
    def get(self, key_id: str, *, if_none_match: None = None) -> types.Key: ...

    @overload
    def get(self, key_id: str, *, if_none_match: str | None) -> types.Key | None: ...

    def get(self, key_id: str, *, if_none_match: str | None = None) -> types.Key | None:
        """Read what a key is called and may do.

        The key needs the scope `keys:write`.

        Args:
            key_id: The id of a key.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.maybe(types.Key, Call("GET", ("keys", key_id), if_none_match=if_none_match))

    def update(
        self,
        key_id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        scopes: Sequence[types.Scope] | NotGiven = NOT_GIVEN,
        expires_at: datetime | str | NotGiven | None = NOT_GIVEN,
        limits: types.LimitsInput | NotGiven | None = NOT_GIVEN,
        if_match: str | None = None,
    ) -> types.Key:
        """Change a key: the fields that are sent; the rest stays.

        The key needs the scope `keys:write`.

        Args:
            key_id: The id of a key.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
            PreconditionFailedError: It was changed meanwhile.
        """
        return self._sender.one(
            types.Key,
            Call(
                "PATCH",
                ("keys", key_id),
                body={"name": name, "scopes": scopes, "expiresAt": expires_at, "limits": limits},
                if_match=if_match,
            ),
        )

    def revoke(self, key_id: str, *, if_match: str | None = None) -> None:
        """Revoke a key at once; it stays listed.

        The key needs the scope `keys:write`.

        Args:
            key_id: The id of a key.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            PreconditionFailedError: It was changed meanwhile.
        """
        self._sender.nothing(Call("DELETE", ("keys", key_id), if_match=if_match))

    def rotate(
        self, key_id: str, *, overlap_hours: int | NotGiven = NOT_GIVEN, idempotency_key: str | None = None
    ) -> types.NewKey:
        """Put a new key in the place of one, which goes on working for a while.

        The key needs the scope `keys:write`.

        Args:
            key_id: The id of a key.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.NewKey,
            Call(
                "POST",
                ("keys", key_id, "rotate"),
                body={"overlapHours": overlap_hours},
                idempotency_key=idempotency_key,
            ),
        )


class Media:
    """Pictures that are uploaded once and shown by any number of posts."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def upload(
        self,
        file: FileInput,
        *,
        alt: str | NotGiven = NOT_GIVEN,
        filename: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Media:
        """Upload a picture: JPEG, PNG, GIF, WebP or AVIF, up to 20 MiB and 50 megapixels.

        The key needs the scope `media:write`.

        Args:
            file: A path, or what is opened to read bytes.
            filename: How it is called, where that is not the name of the file.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.Media,
            Call(
                "POST", ("media",), body={"alt": alt}, file=File.read(file, filename), idempotency_key=idempotency_key
            ),
        )

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        show: Literal["all", "undescribed", "unused"] | None = None,
        q: str | None = None,
    ) -> Page[types.Media]:
        """List the pictures, newest first.

        `q` looks in the file's name and in `alt`.

        The key needs the scope `posts:read`.

        Args:
            limit: How many to a page.
            cursor: `nextCursor` of the page before.
            show: All, those without a text for who cannot see them, or those that no post shows.
            q: Words, "quoted phrases", and -what is not wanted.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.page(
            types.Media, Call("GET", ("media",), query={"limit": limit, "cursor": cursor, "show": show, "q": q})
        )

    @overload
    def get(self, media_id: str, *, if_none_match: None = None) -> types.Media: ...

    @overload
    def get(self, media_id: str, *, if_none_match: str | None) -> types.Media | None: ...

    def get(self, media_id: str, *, if_none_match: str | None = None) -> types.Media | None:
        """Read what is known of a picture.

        The key needs the scope `posts:read`.

        Args:
            media_id: The id of a media.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.maybe(types.Media, Call("GET", ("media", media_id), if_none_match=if_none_match))

    def update(
        self, media_id: str, *, alt: str | NotGiven | None = NOT_GIVEN, if_match: str | None = None
    ) -> types.Media:
        """Say what a picture shows, to those who cannot see it.

        The key needs the scope `media:write`.

        Args:
            media_id: The id of a media.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
            PreconditionFailedError: It was changed meanwhile.
        """
        return self._sender.one(types.Media, Call("PATCH", ("media", media_id), body={"alt": alt}, if_match=if_match))

    def delete(self, media_id: str, *, force: bool | None = None, if_match: str | None = None) -> None:
        """Delete a picture that no post shows, or with `force` any.

        The key needs the scope `media:write`.

        Args:
            media_id: The id of a media.
            force: Even if a post shows it.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
            PreconditionFailedError: It was changed meanwhile.
        """
        self._sender.nothing(Call("DELETE", ("media", media_id), query={"force": force}, if_match=if_match))


class Platforms:
    """What can be connected, and what is. Secrets go in, and never come out."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def list(self) -> types.Platforms:
        """What is connected, and what can be.

        `connected` are the names that a post's `platforms` may hold; `available` is what else can be connected.

        The key needs the scope `platforms:read`.
        """
        return self._sender.one(types.Platforms, Call("GET", ("platforms",)))

    def connect(
        self,
        *,
        connector: str,
        name: str | NotGiven | None = NOT_GIVEN,
        settings: Mapping[str, str | None] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> types.Connected:
        """Connect an account, once its platform says whom it speaks for.

        The key needs the scope `platforms:write`.

        Args:
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.Connected,
            Call(
                "POST",
                ("platforms",),
                body={"connector": connector, "name": name, "settings": settings},
                idempotency_key=idempotency_key,
            ),
        )

    @overload
    def get(self, platform: str, *, if_none_match: None = None) -> types.Connection: ...

    @overload
    def get(self, platform: str, *, if_none_match: str | None) -> types.Connection | None: ...

    def get(self, platform: str, *, if_none_match: str | None = None) -> types.Connection | None:
        """Read a connection and its health.

        The key needs the scope `platforms:read`.

        Args:
            platform: Its name, as in `GET` of the list.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.maybe(types.Connection, Call("GET", ("platforms", platform), if_none_match=if_none_match))

    def update(
        self,
        platform: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        settings: Mapping[str, str | None] | NotGiven = NOT_GIVEN,
        if_match: str | None = None,
    ) -> types.Connected:
        """Give a connection another name or other settings, once its platform accepts them.

        The key needs the scope `platforms:write`.

        Args:
            platform: Its name, as in `GET` of the list.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
            PreconditionFailedError: It was changed meanwhile.
        """
        return self._sender.one(
            types.Connected,
            Call("PATCH", ("platforms", platform), body={"name": name, "settings": settings}, if_match=if_match),
        )

    def disconnect(self, platform: str, *, if_match: str | None = None) -> None:
        """Forget an account and its secrets; copies stay there, and what was not sent yet fails.

        The key needs the scope `platforms:write`.

        Args:
            platform: Its name, as in `GET` of the list.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            PreconditionFailedError: It was changed meanwhile.
        """
        self._sender.nothing(Call("DELETE", ("platforms", platform), if_match=if_match))

    def verify(self, platform: str, *, idempotency_key: str | None = None) -> types.Connection:
        """Ask the platform again; what waited for the account goes on.

        The key needs the scope `platforms:write`.

        Args:
            platform: Its name, as in `GET` of the list.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.Connection, Call("POST", ("platforms", platform, "verify"), idempotency_key=idempotency_key)
        )


class Posts(WaitsForPosts):
    """What is written here, and goes out here and elsewhere when its time has come."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def analytics(
        self,
        post_id: str,
        *,
        from_: date | str | None = None,
        to: date | str | None = None,
        interval: Literal["day", "week", "month"] | None = None,
        timezone: str | None = None,
        platform: Sequence[str] | None = None,
        metric: Sequence[types.Metric] | None = None,
        group_by: Literal["post", "platform", "day"] | None = None,
    ) -> types.Analytics:
        """How one post did.

        The key needs the scope `analytics:read`.

        Args:
            post_id: The id of a post.
            from_: A date or a time.
            to: A date, which is taken in, or a time, which is not.
            interval: Of the series.
            timezone: Whose days they are, such as `Europe/Berlin`.
            platform: These alone.
            metric: These alone.
            group_by: This grouping alone, instead of all three.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.Analytics,
            Call(
                "GET",
                ("posts", post_id, "analytics"),
                query={
                    "from": from_,
                    "to": to,
                    "interval": interval,
                    "timezone": timezone,
                    "platform": platform,
                    "metric": metric,
                    "groupBy": group_by,
                },
            ),
        )

    def create(
        self,
        *,
        title: str,
        content: str | NotGiven | None = NOT_GIVEN,
        platforms: Sequence[str] | NotGiven | None = NOT_GIVEN,
        scheduled_at: datetime | str | NotGiven | None = NOT_GIVEN,
        schedule: types.ScheduleInput | NotGiven | None = NOT_GIVEN,
        summary: str | NotGiven | None = NOT_GIVEN,
        slug: str | NotGiven | None = NOT_GIVEN,
        tags: Sequence[str] | NotGiven | None = NOT_GIVEN,
        canonical_url: str | NotGiven | None = NOT_GIVEN,
        cover_image: str | NotGiven | None = NOT_GIVEN,
        language: str | NotGiven | None = NOT_GIVEN,
        overrides: Mapping[str, types.OverrideInput] | NotGiven | None = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> types.Post:
        """Write a post, to be published later, at a time, or not yet.

        `scheduledAt` names an instant, `schedule` a wall time in a zone; without either it is a draft.

        A post that has a time needs content and the scope `posts:publish` too. A wall time stays what it is should the
        rules of its zone change. One that a change of the clocks skips or repeats is refused unless `fold` says which.

        The key needs the scope `posts:write`.

        Args:
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.Post,
            Call(
                "POST",
                ("posts",),
                body={
                    "content": content,
                    "platforms": platforms,
                    "scheduledAt": scheduled_at,
                    "schedule": schedule,
                    "summary": summary,
                    "slug": slug,
                    "tags": tags,
                    "canonicalUrl": canonical_url,
                    "coverImage": cover_image,
                    "language": language,
                    "overrides": overrides,
                    "title": title,
                },
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        *,
        status: Sequence[types.PostStatus] | None = None,
        platform: str | None = None,
        tag: str | None = None,
        q: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        updated_after: datetime | str | None = None,
        updated_before: datetime | str | None = None,
        scheduled_after: datetime | str | None = None,
        scheduled_before: datetime | str | None = None,
        published_after: datetime | str | None = None,
        published_before: datetime | str | None = None,
        trashed: bool | None = None,
        sort: types.PostSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        fields: Sequence[types.PostField] | None = None,
    ) -> Page[types.Post]:
        """List posts.

        Filters narrow together. `fields` leaves of each post what it names: without `content` a list is short.

        The key needs the scope `posts:read`.

        Args:
            status: Posts in any of these states.
            platform: Posts that are meant for this platform.
            tag: Posts with this tag, as it is written there.
            q: Words, "quoted phrases", and -what is not wanted.
            created_after: Later than this.
            created_before: Earlier than this.
            updated_after: Later than this.
            updated_before: Earlier than this.
            scheduled_after: Later than this.
            scheduled_before: Earlier than this.
            published_after: Later than this.
            published_before: Earlier than this.
            trashed: The posts in the trash, and no others.
            sort: By what; `-` is descending. Posts without that time come last.
            limit: How many to a page.
            cursor: `nextCursor` of the page before, with the same `sort`.
            fields: These fields alone; by default all.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.page(
            types.Post,
            Call(
                "GET",
                ("posts",),
                query={
                    "status": status,
                    "platform": platform,
                    "tag": tag,
                    "q": q,
                    "createdAfter": created_after,
                    "createdBefore": created_before,
                    "updatedAfter": updated_after,
                    "updatedBefore": updated_before,
                    "scheduledAfter": scheduled_after,
                    "scheduledBefore": scheduled_before,
                    "publishedAfter": published_after,
                    "publishedBefore": published_before,
                    "trashed": trashed,
                    "sort": sort,
                    "limit": limit,
                    "cursor": cursor,
                    "fields": fields,
                },
            ),
        )

    @overload
    def get(
        self,
        post_id: str,
        *,
        fields: Sequence[types.PostField] | None = None,
        trashed: bool | None = None,
        if_none_match: None = None,
    ) -> types.Post: ...

    @overload
    def get(
        self,
        post_id: str,
        *,
        fields: Sequence[types.PostField] | None = None,
        trashed: bool | None = None,
        if_none_match: str | None,
    ) -> types.Post | None: ...

    def get(
        self,
        post_id: str,
        *,
        fields: Sequence[types.PostField] | None = None,
        trashed: bool | None = None,
        if_none_match: str | None = None,
    ) -> types.Post | None:
        """Read a post.

        With its deliveries. `content` is what is written here by now; readers see what was published last.

        The key needs the scope `posts:read`.

        Args:
            post_id: The id of a post.
            fields: These fields alone; by default all.
            trashed: Look in the trash too.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.maybe(
            types.Post,
            Call("GET", ("posts", post_id), query={"fields": fields, "trashed": trashed}, if_none_match=if_none_match),
        )

    def update(
        self,
        post_id: str,
        *,
        content: str | NotGiven | None = NOT_GIVEN,
        platforms: Sequence[str] | NotGiven | None = NOT_GIVEN,
        scheduled_at: datetime | str | NotGiven | None = NOT_GIVEN,
        schedule: types.ScheduleInput | NotGiven | None = NOT_GIVEN,
        summary: str | NotGiven | None = NOT_GIVEN,
        slug: str | NotGiven | None = NOT_GIVEN,
        tags: Sequence[str] | NotGiven | None = NOT_GIVEN,
        canonical_url: str | NotGiven | None = NOT_GIVEN,
        cover_image: str | NotGiven | None = NOT_GIVEN,
        language: str | NotGiven | None = NOT_GIVEN,
        overrides: Mapping[str, types.OverrideInput] | NotGiven | None = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
        publish: bool | NotGiven = NOT_GIVEN,
        if_match: str | None = None,
    ) -> types.Post:
        """Change a post: the fields that are sent; the rest stays.

        A new time reschedules, `scheduledAt: null` takes a scheduled post back to a draft.

        A change of what is published stays here (`hasUnpublishedChanges`) until it is published again, or at once with
        `publish: true`. `If-Match` with the post's `ETag` guards against changing what somebody else has changed since.

        The key needs the scope `posts:write`.

        Args:
            post_id: The id of a post.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
            PreconditionFailedError: It was changed meanwhile.
        """
        return self._sender.one(
            types.Post,
            Call(
                "PATCH",
                ("posts", post_id),
                body={
                    "content": content,
                    "platforms": platforms,
                    "scheduledAt": scheduled_at,
                    "schedule": schedule,
                    "summary": summary,
                    "slug": slug,
                    "tags": tags,
                    "canonicalUrl": canonical_url,
                    "coverImage": cover_image,
                    "language": language,
                    "overrides": overrides,
                    "title": title,
                    "publish": publish,
                },
                if_match=if_match,
            ),
        )

    def delete(
        self, post_id: str, *, withdraw: bool | None = None, permanent: bool | None = None, if_match: str | None = None
    ) -> types.Post | None:
        """Put a post in the trash, take its copies down too, or erase it for good.

        It stays in the trash for 30 days, and can be restored. Deliveries that were still to be sent are cancelled.

        The key needs the scope `posts:write`.

        Args:
            post_id: The id of a post.
            withdraw: Take its copies down too.
            permanent: Erase it for good, from the trash too.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
            PreconditionFailedError: It was changed meanwhile.
        """
        return self._sender.maybe(
            types.Post,
            Call("DELETE", ("posts", post_id), query={"withdraw": withdraw, "permanent": permanent}, if_match=if_match),
        )

    def restore(self, post_id: str, *, idempotency_key: str | None = None) -> types.Post:
        """Take a post out of the trash.

        It comes back as a draft, or as unpublished where it had been live.

        The key needs the scope `posts:write`.

        Args:
            post_id: The id of a post.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.Post, Call("POST", ("posts", post_id, "restore"), idempotency_key=idempotency_key)
        )

    def duplicate(self, post_id: str, *, idempotency_key: str | None = None) -> types.Post:
        """Write a draft with the words of another post.

        The key needs the scope `posts:write`.

        Args:
            post_id: The id of a post.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.Post, Call("POST", ("posts", post_id, "duplicate"), idempotency_key=idempotency_key)
        )

    def publish(
        self,
        post_id: str,
        *,
        platforms: Sequence[str] | NotGiven | None = NOT_GIVEN,
        at: datetime | str | NotGiven | None = NOT_GIVEN,
        wait: int | None = None,
        idempotency_key: str | None = None,
    ) -> types.Post:
        """Publish a post, or bring its copies in step.

        To all of its platforms, or to those that are named; with `at`, not before then.

        The answer comes before the copies are there: follow `deliveries`, or wait for up to 30 s with `Prefer: wait=N`
        and be answered 200 once they have come to rest. Asking again never makes a second copy: one that is in step is
        left alone, a changed one is updated, a failed one is tried again. `dryRun` answers what each platform would be
        sent, with warnings, and sends nothing.

        The key needs the scope `posts:publish`.

        Args:
            post_id: The id of a post.
            wait: For so many seconds, 1 to 30, the answer is held back until all is done.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.Post,
            Call(
                "POST",
                ("posts", post_id, "publish"),
                body={"platforms": platforms, "at": at},
                wait=wait,
                idempotency_key=idempotency_key,
            ),
        )

    def dry_run(
        self,
        post_id: str,
        *,
        platforms: Sequence[str] | NotGiven | None = NOT_GIVEN,
        at: datetime | str | NotGiven | None = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> types.DryRun:
        """What publishing would send to each platform; it sends nothing.

        With warnings, and what each platform allows.

        The key needs the scope `posts:publish`.

        Args:
            post_id: The id of a post.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.DryRun,
            Call(
                "POST",
                ("posts", post_id, "publish"),
                query={"dryRun": "true"},
                body={"platforms": platforms, "at": at},
                idempotency_key=idempotency_key,
            ),
        )

    def unpublish(self, post_id: str, *, idempotency_key: str | None = None) -> types.Post:
        """Take a post down here, and its copies wherever that can be done.

        It is off the blog at once, and elsewhere as soon as the platforms have answered; the text stays here.

        The key needs the scope `posts:publish`.

        Args:
            post_id: The id of a post.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.Post, Call("POST", ("posts", post_id, "unpublish"), idempotency_key=idempotency_key)
        )

    def preview(self, post_id: str, *, platform: Sequence[str] | None = None) -> types.Preview:
        """What each destination would be sent, with what it allows; nothing is sent.

        The words as they stand, composed by the same code that publishes them.

        The key needs the scope `posts:read`.

        Args:
            post_id: The id of a post.
            platform: These alone; by default all of the post's own.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(types.Preview, Call("GET", ("posts", post_id, "preview"), query={"platform": platform}))

    def bulk(
        self,
        *,
        operations: Sequence[
            types.CreateInput
            | types.UpdateInput
            | types.BulkPublishInput
            | types.UnpublishInput
            | types.DeleteInput
            | types.RestoreInput
            | types.DuplicateInput
        ],
        idempotency_key: str | None = None,
    ) -> types.Bulk:
        """Up to 100 changes, each done or refused for itself.

        The key needs the scope `posts:write`.

        Args:
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.Bulk,
            Call("POST", ("posts", "bulk"), body={"operations": operations}, idempotency_key=idempotency_key),
        )

    def deliveries(self, post_id: str) -> Page[types.Delivery]:
        """Where a post went, and how that stands.

        The key needs the scope `posts:read`.

        Args:
            post_id: The id of a post.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.page(types.Delivery, Call("GET", ("posts", post_id, "deliveries")))

    def verify(self, post_id: str, *, idempotency_key: str | None = None) -> Page[types.Copy]:
        """Ask the platforms whether the copies are there, and as we sent them.

        `edited` and `gone` are remembered as `drift` of the delivery. Nothing is written over: retry a delivery to have
        its copy as it was sent, or leave it. Each copy is also looked at once a day.

        The key needs the scope `posts:publish`.

        Args:
            post_id: The id of a post.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.page(
            types.Copy, Call("POST", ("posts", post_id, "verify"), idempotency_key=idempotency_key)
        )

    def events(self, post_id: str) -> Page[types.Event]:
        """The timeline of a post, oldest first.

        Everything that happened to it, each attempt to send it included.

        The key needs the scope `posts:read`.

        Args:
            post_id: The id of a post.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.page(types.Event, Call("GET", ("posts", post_id, "events")))

    def revisions(self, post_id: str, *, limit: int | None = None, cursor: str | None = None) -> Page[types.Revision]:
        """The revisions of a post, newest first.

        The key needs the scope `posts:read`.

        Args:
            post_id: The id of a post.
            limit: How many to a page.
            cursor: `nextCursor` of the page before.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.page(
            types.Revision, Call("GET", ("posts", post_id, "revisions"), query={"limit": limit, "cursor": cursor})
        )

    @overload
    def revision(self, post_id: str, number: int, *, if_none_match: None = None) -> types.RevisionInFull: ...

    @overload
    def revision(self, post_id: str, number: int, *, if_none_match: str | None) -> types.RevisionInFull | None: ...

    def revision(self, post_id: str, number: int, *, if_none_match: str | None = None) -> types.RevisionInFull | None:
        """Read a revision, with its words.

        The key needs the scope `posts:read`.

        Args:
            post_id: The id of a post.
            number: Its number: 1 is the oldest.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.maybe(
            types.RevisionInFull, Call("GET", ("posts", post_id, "revisions", number), if_none_match=if_none_match)
        )

    def restore_revision(self, post_id: str, number: int, *, idempotency_key: str | None = None) -> types.Post:
        """Take the words of a revision for the working copy; what is live stays until it is published again.

        The key needs the scope `posts:write`.

        Args:
            post_id: The id of a post.
            number: Its number: 1 is the oldest.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.Post,
            Call("POST", ("posts", post_id, "revisions", number, "restore"), idempotency_key=idempotency_key),
        )


class Webhooks:
    """Subscribers to events."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def test(self, webhook_id: str, *, idempotency_key: str | None = None) -> types.WebhookDelivery:
        """Have a `webhook.test` sent, once; its delivery tells how that went.

        The key needs the scope `webhooks:write`.

        Args:
            webhook_id: The id of a webhook.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.WebhookDelivery, Call("POST", ("webhooks", webhook_id, "test"), idempotency_key=idempotency_key)
        )

    def deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: Sequence[types.MessageState] | None = None,
    ) -> Page[types.WebhookDelivery]:
        """What was sent to a webhook in the last 30 days, newest first.

        The key needs the scope `webhooks:read`.

        Args:
            webhook_id: The id of a webhook.
            limit: How many to a page.
            cursor: `nextCursor` of the page before.
            state: In any of these states.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.page(
            types.WebhookDelivery,
            Call(
                "GET", ("webhooks", webhook_id, "deliveries"), query={"limit": limit, "cursor": cursor, "state": state}
            ),
        )

    @overload
    def delivery(
        self, webhook_id: str, delivery_id: str, *, if_none_match: None = None
    ) -> types.WebhookDeliveryDetail: ...

    @overload
    def delivery(
        self, webhook_id: str, delivery_id: str, *, if_none_match: str | None
    ) -> types.WebhookDeliveryDetail | None: ...

    def delivery(
        self, webhook_id: str, delivery_id: str, *, if_none_match: str | None = None
    ) -> types.WebhookDeliveryDetail | None:
        """Read one of them, with what was sent and every attempt.

        The key needs the scope `webhooks:read`.

        Args:
            webhook_id: The id of a webhook.
            delivery_id: The id of a delivery.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.maybe(
            types.WebhookDeliveryDetail,
            Call("GET", ("webhooks", webhook_id, "deliveries", delivery_id), if_none_match=if_none_match),
        )

    def redeliver(
        self, webhook_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> types.WebhookDelivery:
        """Send it again, now: the same bytes under the same id.

        The key needs the scope `webhooks:write`.

        Args:
            webhook_id: The id of a webhook.
            delivery_id: The id of a delivery.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.one(
            types.WebhookDelivery,
            Call(
                "POST",
                ("webhooks", webhook_id, "deliveries", delivery_id, "redeliver"),
                idempotency_key=idempotency_key,
            ),
        )

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Page[types.WebhookSubscription]:
        """List webhooks, newest first.

        The key needs the scope `webhooks:read`.

        Args:
            limit: How many to a page.
            cursor: `nextCursor` of the page before.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.page(
            types.WebhookSubscription, Call("GET", ("webhooks",), query={"limit": limit, "cursor": cursor})
        )

    def create(
        self,
        *,
        url: str,
        events: Sequence[types.EventPattern] | NotGiven = NOT_GIVEN,
        description: str | NotGiven = NOT_GIVEN,
        secret: str | NotGiven | None = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> types.WebhookWithSecret:
        """Have events sent to an address; the secret that signs them is answered this once.

        The key needs the scope `webhooks:write`.

        Args:
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.WebhookWithSecret,
            Call(
                "POST",
                ("webhooks",),
                body={"url": url, "events": events, "description": description, "secret": secret},
                idempotency_key=idempotency_key,
            ),
        )

    @overload
    def get(self, webhook_id: str, *, if_none_match: None = None) -> types.WebhookSubscription: ...

    @overload
    def get(self, webhook_id: str, *, if_none_match: str | None) -> types.WebhookSubscription | None: ...

    def get(self, webhook_id: str, *, if_none_match: str | None = None) -> types.WebhookSubscription | None:
        """Read a webhook.

        The key needs the scope `webhooks:read`.

        Args:
            webhook_id: The id of a webhook.
            if_none_match: The ETag of what you have: None is returned if it is still the same.

        Raises:
            NotFoundError: There is no such thing.
        """
        return self._sender.maybe(
            types.WebhookSubscription, Call("GET", ("webhooks", webhook_id), if_none_match=if_none_match)
        )

    def update(
        self,
        webhook_id: str,
        *,
        url: str | NotGiven = NOT_GIVEN,
        events: Sequence[types.EventPattern] | NotGiven = NOT_GIVEN,
        description: str | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        if_match: str | None = None,
    ) -> types.WebhookSubscription:
        """Change a webhook, or switch it on or off.

        The key needs the scope `webhooks:write`.

        Args:
            webhook_id: The id of a webhook.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
            PreconditionFailedError: It was changed meanwhile.
        """
        return self._sender.one(
            types.WebhookSubscription,
            Call(
                "PATCH",
                ("webhooks", webhook_id),
                body={"url": url, "events": events, "description": description, "enabled": enabled},
                if_match=if_match,
            ),
        )

    def delete(self, webhook_id: str, *, if_match: str | None = None) -> None:
        """Forget a webhook, its secret and its log.

        The key needs the scope `webhooks:write`.

        Args:
            webhook_id: The id of a webhook.
            if_match: The ETag of what is to be changed: not if it is another by now.

        Raises:
            NotFoundError: There is no such thing.
            PreconditionFailedError: It was changed meanwhile.
        """
        self._sender.nothing(Call("DELETE", ("webhooks", webhook_id), if_match=if_match))

    def rotate_secret(
        self,
        webhook_id: str,
        *,
        secret: str | NotGiven | None = NOT_GIVEN,
        overlap_hours: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> types.WebhookWithSecret:
        """Replace the secret; the new one is answered this once, and the present one signs beside it for a while.

        The key needs the scope `webhooks:write`.

        Args:
            webhook_id: The id of a webhook.
            idempotency_key: Who asks twice with the same key has it done once.

        Raises:
            NotFoundError: There is no such thing.
            InvalidError: Its `errors` say what must be changed.
        """
        return self._sender.one(
            types.WebhookWithSecret,
            Call(
                "POST",
                ("webhooks", webhook_id, "rotate-secret"),
                body={"secret": secret, "overlapHours": overlap_hours},
                idempotency_key=idempotency_key,
            ),
        )


class Resources:
    """All of them."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.analytics = Analytics(sender)
        self.deliveries = Deliveries(sender)
        self.events = Events(sender)
        self.keys = Keys(sender)
        self.media = Media(sender)
        self.platforms = Platforms(sender)
        self.posts = Posts(sender)
        self.webhooks = Webhooks(sender)

    def me(self) -> types.Me:
        """The key that is asking.

        Its scopes and its limits, in calls a minute. A simple way to see whether a key is valid.
        """
        return self._sender.one(types.Me, Call("GET", ("me",)))
