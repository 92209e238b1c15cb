"""Faults that a careless change could introduce, by area. Each must be detected by at least one test."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One fault: replaces `before`, which occurs exactly once in the file at `path`, with `after`.

    `tests` are the files or directories that should detect the fault, the most specific first.
    """

    name: str
    path: str
    before: str
    after: str
    tests: tuple[str, ...]


POSTS = (
    Mutant(
        "schedule-for-now",
        "blogsvc/posts/rules.py",
        "if at < now - MAX_SCHEDULE_BEHIND:",
        "if at < now - 2 * MAX_SCHEDULE_BEHIND:",
        ("tests/posts/test_schedules.py", "tests/posts/test_calendar.py", "tests/web/test_publish_dialog.py"),
    ),
    Mutant(
        "slot-taken-by-trashed-post",
        "blogsvc/posts/queue_slots.py",
        'Post.state == "scheduled", Post.deleted_at.is_(None), Post.scheduled_at >= after',
        'Post.state == "scheduled", Post.scheduled_at >= after',
        ("tests/posts/test_queue_slots.py", "tests/posts/test_calendar.py", "tests/web/test_queue.py"),
    ),
    Mutant(
        "trashed-post-published",
        "blogsvc/models/due_posts.py",
        "return and_(IS_WAITING, Post.scheduled_at <= now)",
        'return and_(Post.state == "scheduled", Post.scheduled_at <= now)',
        ("tests/api/test_posts_delete.py", "tests/posts/test_schedules.py", "tests/web/test_trash.py"),
    ),
    Mutant(
        "due-posts-in-wrong-order",
        "blogsvc/models/due_posts.py",
        ".order_by(Post.scheduled_at, Post.id)",
        ".order_by(Post.id)",
        ("tests/posts/test_schedules.py", "tests/faults/test_unpublishable_post.py"),
    ),
    Mutant(
        "missed-one-moment-early",
        "blogsvc/posts/publishing.py",
        "if now - post.scheduled_at > missed_after:",
        "if now - post.scheduled_at >= missed_after:",
        ("tests/posts/test_schedules.py", "tests/models/test_post_states.py", "tests/api/test_posts_schedule.py"),
    ),
    Mutant(
        "empty-text-scheduled",
        "blogsvc/posts/autosave.py",
        '        post.require_publishable("scheduled")\n',
        "",
        ("tests/posts/test_autosave.py", "tests/web/test_publish_dialog.py", "tests/web/test_editor.py"),
    ),
    Mutant(
        "skipped-time-readings-swapped",
        "blogsvc/lib/time.py",
        "raise SkippedTime(local, zone_name, after, before)",
        "raise SkippedTime(local, zone_name, before, after)",
        ("tests/lib/test_time.py", "tests/api/test_posts_schedule.py"),
    ),
    Mutant(
        "moved-in-the-zone-of-the-viewer",
        "blogsvc/posts/calendar.py",
        "return WallTime(datetime.fromisoformat(post.wall_time) + days, post.time_zone, fold)",
        "return WallTime(datetime.fromisoformat(post.wall_time) + days, time_zone, fold)",
        ("tests/posts/test_calendar.py", "tests/web/test_calendar.py"),
    ),
    Mutant(
        "list-skips-posts-of-the-same-time",
        "blogsvc/posts/listing.py",
        "return and_(column >= at, or_(column > at, Post.id > post_id))",
        "return column > at",
        ("tests/posts/test_listing.py", "tests/web/test_dashboard.py"),
    ),
    Mutant(
        "slug-of-scheduled-revision-freed",
        "blogsvc/posts/slugs.py",
        "return pinned is not None and pinned.slug == post.slug",
        "return post.published_at is not None and pinned is not None",
        ("tests/posts/test_autosave.py", "tests/api/test_posts_change.py", "tests/web/test_post_details.py"),
    ),
    Mutant(
        "zone-update-forgets-fold",
        "blogsvc/posts/publishing.py",
        "post.time_zone, post.fold or 0)",
        "post.time_zone, 0)",
        ("tests/posts/test_schedules.py", "tests/posts/test_calendar.py"),
    ),
    Mutant(
        "tag-schedules-other-edits",
        "blogsvc/posts/tagging.py",
        'if post.state == "scheduled" and is_in_step:',
        'if post.state == "scheduled":',
        ("tests/posts/test_tagging.py", "tests/web/test_bulk.py"),
    ),
)

DELIVERY = (
    Mutant(
        "late-attempt-settles",
        "blogsvc/delivery/deliver.py",
        "return is_undecided and delivery.fence == claim.fence",
        "return is_undecided",
        ("tests/faults/test_delivery_fencing.py",),
    ),
    Mutant(
        "late-webhook-attempt-settles",
        "blogsvc/webhooks/deliver.py",
        "not delivery.is_sent_by(claim.fence)",
        'delivery.state != "sending"',
        ("tests/faults/test_webhook_fencing.py", "tests/webhooks"),
    ),
    Mutant(
        "doubt-forgotten-when-rate-limited",
        "blogsvc/delivery/outcomes.py",
        "        if not self.was_in_doubt:\n            self.delivery.record_not_sent()",
        "        self.delivery.record_not_sent()",
        ("tests/faults/test_retries.py", "tests/faults/test_exactly_once.py"),
    ),
    Mutant(
        "retry-after-without-maximum",
        "blogsvc/lib/back_off.py",
        "timedelta(seconds=min(seconds, MAX_RETRY_AFTER.total_seconds()))",
        "timedelta(seconds=seconds)",
        ("tests/faults/test_retries.py",),
    ),
    Mutant(
        "no-last-attempt-at-deadline",
        "blogsvc/delivery/outcomes.py",
        "return min(after, self._deadline) if self.now < self._deadline else after",
        "return after",
        ("tests/faults/test_retries.py",),
    ),
    Mutant(
        "unchanged-copy-sent-again",
        "blogsvc/delivery/attempt.py",
        "    if payload.hash == claim.copy_hash:\n        return Delivered(claim.receipt, payload.hash)\n",
        "",
        ("tests/api/test_publish.py", "tests/faults/test_changes_during_delivery.py"),
    ),
    Mutant(
        "check-of-replaced-copy-stored",
        "blogsvc/delivery/reconcile.py",
        ' or delivery.state != "delivered" or delivery.receipt != finding.question.receipt:',
        ' or delivery.state != "delivered":',
        ("tests/delivery/test_reconcile.py",),
    ),
    Mutant(
        "trashed-post-needs-attention",
        "blogsvc/delivery/attention.py",
        "Post.id == Delivery.post_id).where(Post.deleted_at.is_(None), user.visible_posts())",
        "Post.id == Delivery.post_id).where(user.visible_posts())",
        ("tests/delivery/test_attention.py", "tests/web/test_dashboard.py"),
    ),
    Mutant(
        "events-beyond-a-batch-skipped",
        "blogsvc/webhooks/announce.py",
        "webhook.position = events[-1].position if is_more else upto",
        "webhook.position = upto",
        ("tests/webhooks",),
    ),
    Mutant(
        "disabled-webhook-retried-after-crash",
        "blogsvc/webhooks/deliver.py",
        "if at is None or delivery.is_test or not Webhook.get(delivery.webhook_id).is_enabled:",
        "if at is None or delivery.is_test:",
        ("tests/webhooks", "tests/faults/test_webhook_fencing.py"),
    ),
    Mutant(
        "former-secret-signs-too-long",
        "blogsvc/models/webhook.py",
        "self.former_until is not None and now < self.former_until",
        "self.former_until is not None and now <= self.former_until",
        ("tests/api/test_webhooks.py", "tests/webhooks"),
    ),
    Mutant(
        "secret-sent-anywhere",
        "blogsvc/lib/net/http.py",
        "if self.origins is not None and _origin(url) not in self.origins:",
        "if False:",
        ("tests/lib/net/test_http.py", "tests/web/test_bound_secrets.py"),
    ),
    Mutant(
        "webhook-survives-its-key",
        "blogsvc/webhooks/manage.py",
        'return key is not None and not (key.is_valid(now) and key.allows("posts:read"))',
        "return False",
        ("tests/webhooks/test_ownership.py",),
    ),
    Mutant(
        "webhook-survives-the-role-of-its-user",
        "blogsvc/webhooks/manage.py",
        'if role_behind(webhook.kept_by) != "owner":',
        "if role_behind(webhook.kept_by) is None:",
        ("tests/web/test_lowered_roles.py",),
    ),
    Mutant(
        "key-keeps-the-former-role-of-its-user",
        "blogsvc/models/key.py",
        "if scope in allowed]",
        "if scope]",
        ("tests/web/test_lowered_roles.py",),
    ),
    Mutant(
        "invitation-of-a-former-owner",
        "blogsvc/models/invitation.py",
        'if found is None or role_behind(found.created_by) != "owner":',
        "if found is None:",
        ("tests/web/test_lowered_roles.py",),
    ),
    Mutant(
        "every-key-changes-every-webhook",
        "blogsvc/api/webhooks.py",
        "if row.kept_by != key.id and not key.allows(ALL):",
        "if False:",
        ("tests/webhooks/test_ownership.py",),
    ),
    Mutant(
        "scheduler-not-woken-by-free-lane",
        "blogsvc/scheduler/lanes.py",
        "                self.lanes.discard(lane)\n            self.when_free()",
        "                self.lanes.discard(lane)",
        (
            "tests/test_scheduler.py",
            "tests/faults/test_hanging_platform.py",
            "tests/faults/test_faulty_subscribers.py",
        ),
    ),
)

CONNECTORS = (
    Mutant(
        "timeout-counts-as-rejection",
        "blogsvc/connectors/_kit/responses.py",
        "if status >= 500 or status in (408, 425):",
        "if status >= 500:",
        ("tests/connectors/test_call.py",),
    ),
    Mutant(
        "telegram-message-repeated",
        "blogsvc/connectors/telegram.py",
        'self._ask(method, body, need="message_id", safe=False)',
        'self._ask(method, body, need="message_id")',
        ("tests/connectors/test_telegram.py", "tests/connectors/test_exactly_once.py"),
    ),
    Mutant(
        "chat-html-not-escaped",
        "blogsvc/connectors/_kit/chat.py",
        "(head, escape(rest), link, escape(tags))",
        "(head, rest, link, escape(tags))",
        ("tests/connectors/test_telegram.py", "tests/connectors/test_matrix.py"),
    ),
    Mutant(
        "ghost-update-changes-url",
        "blogsvc/connectors/ghost/connector.py",
        '        del post["slug"], post["codeinjection_foot"]\n',
        '        del post["codeinjection_foot"]\n',
        ("tests/connectors/test_ghost.py",),
    ),
    Mutant(
        "mastodon-key-without-content",
        "blogsvc/connectors/mastodon/connector.py",
        "f\"{keys['operation']}-{payload.hash[:16]}\"",
        "keys['operation']",
        ("tests/connectors/test_mastodon.py",),
    ),
    Mutant(
        "mastodon-adopts-status-with-longer-link",
        "blogsvc/connectors/mastodon/server_api.py",
        'return link.rstrip("/") in [str(one).rstrip("/") for one in leads]',
        'return any(str(one).startswith(link.rstrip("/")) for one in leads)',
        ("tests/connectors/test_mastodon.py",),
    ),
    Mutant(
        "matrix-redacts-only-one-event",
        "blogsvc/connectors/matrix.py",
        "own_id = f\"{keys['operation']}.{redacted.strip('$')}\"",
        'own_id = keys["operation"]',
        ("tests/connectors/test_matrix.py",),
    ),
    Mutant(
        "wordpress-update-unpublishes",
        "blogsvc/connectors/wordpress/connector.py",
        '        if post["status"] in FIRST:\n            del post["status"]\n',
        "",
        ("tests/connectors/test_wordpress.py",),
    ),
    Mutant(
        "slack-escapes-twice",
        "blogsvc/connectors/slack/text.py",
        'text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")',
        'text.replace("<", "&lt;").replace(">", "&gt;").replace("&", "&amp;")',
        ("tests/connectors/test_slack.py", "tests/connectors/test_slack_hook.py"),
    ),
    Mutant(
        "app-password-sent-over-http",
        "blogsvc/connectors/_kit/atproto_session.py",
        "if is_pds and str(address).startswith(self.schemes):",
        "if is_pds:",
        ("tests/connectors/test_atproto_session.py", "tests/connectors/test_bluesky.py"),
    ),
    Mutant(
        "session-of-former-account-used",
        "blogsvc/connectors/_kit/atproto_session.py",
        'return self.session.get("who") == self._session_owner and bool(self.session.get("access"))',
        'return bool(self.session.get("access"))',
        ("tests/connectors/test_atproto_session.py", "tests/connectors/test_bluesky.py"),
    ),
    Mutant(
        "extra-header-replaces-signature",
        "blogsvc/connectors/webhook.py",
        'if match[1].lower() in RESERVED_HEADERS or match[1].lower().startswith("webhook-"):',
        "if match[1].lower() in RESERVED_HEADERS:",
        ("tests/connectors/test_webhook.py",),
    ),
)

API = (
    Mutant(
        "delete-ignores-if-match",
        "blogsvc/api/posts.py",
        "        etags.require_match(lambda: serializers.post(post))\n        editing.discard(",
        "        editing.discard(",
        ("tests/api/test_posts_change.py", "tests/api/test_posts_delete.py"),
    ),
    Mutant(
        "schedule-without-publish-scope",
        "blogsvc/api/posts.py",
        '    if body.publish or body.when() is not None:\n        auth.require_scope("posts:publish")',
        '    if body.publish:\n        auth.require_scope("posts:publish")',
        ("tests/api/test_access.py", "tests/api/test_posts_schedule.py", "tests/api/test_posts_change.py"),
    ),
    Mutant(
        "idempotency-ignores-query",
        "blogsvc/api/framework/idempotency.py",
        "{request.full_path}",
        "{request.path}",
        ("tests/api/test_idempotency.py", "tests/api/test_concurrent_idempotency.py"),
    ),
    Mutant(
        "failed-request-keeps-idempotency-key",
        "blogsvc/api/framework/idempotency.py",
        "        with transaction():\n"
        "            db.session.delete(db.session.get_one(IdempotentResponse, (g.key.id, key)))\n"
        "        raise",
        "        raise",
        ("tests/api/test_idempotency.py", "tests/api/test_media_uploads.py"),
    ),
    Mutant(
        "page-skips-equal-values",
        "blogsvc/api/framework/cursors.py",
        "query.where(bound, or_(order.after(column, order.value), same))",
        "query.where(bound, order.after(column, order.value))",
        ("tests/api/test_posts_list.py",),
    ),
    Mutant(
        "next-link-repeats-cursor",
        "blogsvc/api/framework/cursors.py",
        'for name, value in request.args.items(multi=True) if name != "cursor"]',
        "for name, value in request.args.items(multi=True)]",
        ("tests/api/test_posts_list.py", "tests/api/test_wire.py"),
    ),
    Mutant(
        "filter-includes-its-end",
        "blogsvc/api/post_filters.py",
        "column < end for column",
        "column <= end for column",
        ("tests/api/test_posts_list.py", "tests/api/test_search.py"),
    ),
    Mutant(
        "pointer-escaped-in-wrong-order",
        "blogsvc/api/framework/requests.py",
        '.replace("~", "~0").replace("/", "~1")',
        '.replace("/", "~1").replace("~", "~0")',
        ("tests/api/test_requests.py", "tests/api/test_payload_bodies.py", "tests/api/test_posts_create.py"),
    ),
    Mutant(
        "largest-upload-refused",
        "blogsvc/api/framework/uploads.py",
        "len(part.data) > max_bytes",
        "len(part.data) >= max_bytes",
        ("tests/api/test_media_uploads.py", "tests/api/test_media.py"),
    ),
    Mutant(
        "waiting-slot-not-released",
        "blogsvc/api/publishing.py",
        "        slot.release()",
        "        pass",
        ("tests/api/test_publish.py", "tests/api/test_publication.py"),
    ),
    Mutant(
        "stream-outlives-its-key",
        "blogsvc/api/event_stream.py",
        "for key in keys if key.is_valid(now) and",
        "for key in keys if",
        ("tests/api/test_event_stream.py", "tests/api/test_events.py"),
    ),
    Mutant(
        "stream-outlives-the-scope-of-its-key",
        "blogsvc/api/event_stream.py",
        'key.is_valid(now) and key.allows("posts:read")}',
        "key.is_valid(now)}",
        ("tests/api/test_event_stream.py",),
    ),
    Mutant(
        "place-of-a-stream-not-given-back",
        "blogsvc/api/event_stream.py",
        "            self._give_place_back(listener.key_id)",
        "            pass",
        ("tests/api/test_event_stream.py",),
    ),
    Mutant(
        "broken-body-taken-for-complete",
        "blogsvc/server/bodies.py",
        """            return
    raise BadRequest(_incomplete(body))""",
        "            return",
        ("tests/server/test_connections.py",),
    ),
    Mutant(
        "large-body-received-for-anybody",
        "blogsvc/server/bodies.py",
        "if declared is not None and declared > MAX_UNASKED:",
        "if declared is None:",
        ("tests/server/test_connections.py",),
    ),
    Mutant(
        "fields-of-a-form-not-counted",
        "blogsvc/http/body_limits.py",
        'if form.count(b"&") >= self.max_form_parts:',
        "if False:",
        ("tests/web/test_open_routes.py",),
    ),
    Mutant(
        "slow-readers-of-one-network-not-bounded",
        "blogsvc/server/connections.py",
        "_of_networks(stopped, MAX_STOPPED_OF_NETWORK)",
        "_of_networks(stopped, MAX_STOPPED)",
        ("tests/server/test_slow_readers.py",),
    ),
    Mutant(
        "interrupted-imports-read-for-ever",
        "blogsvc/transfer/importing.py",
        "job.interruptions >= MAX_INTERRUPTIONS",
        "job.interruptions > 100 * MAX_INTERRUPTIONS",
        ("tests/transfer/test_importing.py",),
    ),
    Mutant(
        "views-of-one-network-counted-without-end",
        "blogsvc/analytics/view_limits.py",
        "if any(self.counters[counter] >= limit for counter, limit in limits):",
        "if False:",
        ("tests/analytics/test_page_views.py",),
    ),
    Mutant(
        "odd-paths-accepted",
        "blogsvc/server/paths.py",
        'if blog_paths.is_canonical(request.environ["PATH_INFO"]):',
        "if True:",
        ("tests/server/test_paths.py",),
    ),
    Mutant(
        "memory-of-given-up-bodies-kept",
        "blogsvc/server/bodies.py",
        """        self._drop_parts(body)  # now, so that no other body has to go for the same bytes
""",
        "",
        ("tests/server/test_bodies.py",),
    ),
    Mutant(
        "large-upload-counted-twice",
        "blogsvc/api/framework/rate_limits.py",
        "return 0 if request.environ.get(IS_SECOND_CALL) else 1",
        "return 1",
        ("tests/server/test_connections.py",),
    ),
)

AUTH = (
    Mutant(
        "page-over-plain-http",
        "blogsvc/web/framework/require_https.py",
        "if can_send_secrets(config, request.is_secure, request.remote_addr):",
        "if can_send_secrets(config, request.is_secure, request.remote_addr) or request.method == 'POST':",
        ("tests/web/test_plain_http.py",),
    ),
    Mutant(
        "two-factor-code-used-twice",
        "blogsvc/auth/totp.py",
        "user.totp_step is None or step > user.totp_step",
        "user.totp_step is None or step >= user.totp_step",
        ("tests/web/test_sign_in.py", "tests/web/test_profile.py"),
    ),
    Mutant(
        "codes-without-hourly-limit",
        "blogsvc/web/framework/sign_in_limits.py",
        "user, user.id), [CODES_AN_HOUR])",
        "user, user.id), [])",
        ("tests/web/test_sign_in_limits.py",),
    ),
    Mutant(
        "known-browser-shares-the-limits-of-others",
        "blogsvc/web/framework/sign_in_limits.py",
        'return [(f"{kind}-in", browser)] if browser else [',
        "return [",
        ("tests/web/test_sign_in_limits.py",),
    ),
    Mutant(
        "browser-known-for-every-account",
        "blogsvc/web/framework/known_browsers.py",
        "user_id == user.id and since is not None",
        "since is not None",
        ("tests/web/test_sign_in_limits.py",),
    ),
    Mutant(
        "limit-depends-on-case-of-address",
        "blogsvc/web/framework/sign_in_limits.py",
        "sha256(email.strip().lower().encode())",
        "sha256(email.strip().encode())",
        ("tests/web/test_sign_in_limits.py",),
    ),
    Mutant(
        "former-session-not-ended",
        "blogsvc/web/framework/current_user.py",
        "    _leave()\n    cookie.clear()\n    cookie.permanent = True",
        "    cookie.clear()\n    cookie.permanent = True",
        ("tests/web/test_sign_in.py", "tests/web/test_profile.py", "tests/web/test_passkeys.py"),
    ),
    Mutant(
        "session-of-other-user-ended",
        "blogsvc/auth/accounts.py",
        "if session is None or session.user_id != user.id:",
        "if session is None:",
        ("tests/web/test_profile.py", "tests/web/test_users.py"),
    ),
    Mutant(
        "delicate-action-without-reauthentication",
        "blogsvc/web/framework/routes.py",
        "if effect.needs_reauthentication and (question := reauthenticate.question()) is not None:",
        "if (asked := None) is not None:",
        ("tests/web/test_reauthentication.py",),
    ),
    Mutant(
        "password-is-enough-despite-codes",
        "blogsvc/web/framework/reauthenticate.py",
        "if session.user.asks_for_code and not session.is_two_factor:",
        "if False:",
        ("tests/web/test_reauthentication.py",),
    ),
    Mutant(
        "reauthentication-from-before-two-factor-codes",
        "blogsvc/auth/totp.py",
        "session.reauthenticate_by_two_factors(now)\n        second_factor.end_older_reauthentications(session, now)",
        "session.reauthenticate_by_two_factors(now)",
        ("tests/web/test_reauthentication.py",),
    ),
    Mutant(
        "reauthentication-from-before-a-passkey",
        "blogsvc/auth/passkeys.py",
        "now)\n        second_factor.end_older_reauthentications(session, now)\n        return added",
        "now)\n        return added",
        ("tests/web/test_reauthentication.py",),
    ),
    Mutant(
        "held-form-for-another-action",
        "blogsvc/web/framework/reauthenticate.py",
        "if (user_id, path) != (current_user.user().id, request.full_path):",
        "if user_id != current_user.user().id:",
        ("tests/web/test_reauthentication.py",),
    ),
    Mutant(
        "passkey-of-another-user-accepted",
        "blogsvc/auth/passkeys.py",
        "if passkey is None or user not in (None, passkey.user):",
        "if passkey is None:",
        ("tests/web/test_reauthentication.py",),
    ),
    Mutant(
        "copied-passkey-accepted",
        "blogsvc/auth/passkeys.py",
        "count <= passkey.sign_count:",
        "count < passkey.sign_count:",
        ("tests/web/test_passkeys.py",),
    ),
    Mutant(
        "rotation-extends-key",
        "blogsvc/auth/api_keys.py",
        "old.expires_at = min(filter(None, (old.expires_at, now + overlap)))",
        "old.expires_at = now + overlap",
        ("tests/api/test_keys.py", "tests/api/test_keys_bounds.py", "tests/web/test_api_keys.py"),
    ),
    Mutant(
        "expiring-key-grants-endless-one",
        "blogsvc/auth/api_keys.py",
        "(key.expires_at is None or key.expires_at > self.expires_at)",
        "(key.expires_at is not None and key.expires_at > self.expires_at)",
        ("tests/api/test_keys_bounds.py",),
    ),
    Mutant(
        "password-depends-on-keyboard",
        "blogsvc/lib/passwords.py",
        'unicodedata.normalize("NFKC", password)',
        'unicodedata.normalize("NFC", password)',
        ("tests/web/test_sign_in.py", "tests/web/test_setup.py"),
    ),
    Mutant(
        "key-file-readable-by-others",
        "blogsvc/lib/files/private_files.py",
        "os.open(path, NEW, 0o600)",
        "os.open(path, NEW, 0o644)",
        ("tests/lib/test_crypto.py", "tests/cli/test_private_files.py"),
    ),
    Mutant(
        "proxy-counts-as-client",
        "blogsvc/server/proxies.py",
        "if is_complete else UNKNOWN",
        'if is_complete else environ["REMOTE_ADDR"]',
        ("tests/server/test_proxies.py",),
    ),
    Mutant(
        "pieces-of-a-response-cost-nothing",
        "blogsvc/lib/net/allowance.py",
        "- size - PIECE",
        "- size",
        ("tests/lib/net/test_endless.py",),
    ),
    Mutant(
        "current-counters-are-removed",
        "blogsvc/models/attempt_counter.py",
        "cls.remove(cls.ends_at <= now)",
        "cls.remove(cls.ends_at >= now)",
        ("tests/web/test_sign_in_limits.py",),
    ),
)

# By area, in the order of the report.
MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "posts": POSTS,
    "delivery": DELIVERY,
    "connectors": CONNECTORS,
    "api": API,
    "auth": AUTH,
}
