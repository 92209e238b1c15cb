"""The database tables with their rules and queries. Nothing here makes network requests."""

from blogsvc.models import post_versions  # noqa: F401  (renews the version of a post in every flush)
from blogsvc.models.attempt import Attempt
from blogsvc.models.attempt_counter import AttemptCounter
from blogsvc.models.author import Author
from blogsvc.models.background_errors import retry_write
from blogsvc.models.base import db
from blogsvc.models.connection import SITE, Connection
from blogsvc.models.copy_stats import CopyStats
from blogsvc.models.delivery import Delivery
from blogsvc.models.delivery_day import DeliveryDay, StaleDeliveryDay
from blogsvc.models.event import Event, record
from blogsvc.models.extra_copy import CopySearch, ExtraCopy
from blogsvc.models.idempotent_response import IdempotentResponse
from blogsvc.models.import_job import ImportedImage, ImportedPost, ImportJob
from blogsvc.models.index_now import ChangedPage, IndexNow
from blogsvc.models.invitation import Invitation
from blogsvc.models.key import ApiKey
from blogsvc.models.media import Media, MediaUse
from blogsvc.models.missing_address import MissingAddress
from blogsvc.models.notice import Notice, NoticePosition
from blogsvc.models.page_view import PageView
from blogsvc.models.passkey import Passkey, RecoveryCode
from blogsvc.models.pending_publish import PendingPublish
from blogsvc.models.post import Post
from blogsvc.models.post_labels import PostLabel
from blogsvc.models.post_search import PostText
from blogsvc.models.post_slugs import PostSlug
from blogsvc.models.process import Process
from blogsvc.models.queue_slot import QueueSlot
from blogsvc.models.quota import Quota, Usage
from blogsvc.models.redirect import Redirect
from blogsvc.models.revision import Revision
from blogsvc.models.series import Series
from blogsvc.models.session import Session
from blogsvc.models.setting import Setting
from blogsvc.models.share_link import DraftComment, ShareLink
from blogsvc.models.staged_draft import StagedDraft
from blogsvc.models.stream_ticket import StreamTicket
from blogsvc.models.tag_page import TagPage
from blogsvc.models.transactions import became_due, close_connections, transaction, wake_scheduler
from blogsvc.models.upload import Upload
from blogsvc.models.user import User
from blogsvc.models.view_rollup import ReferrerDay, ReferrerMonth, ViewDay, ViewHour, ViewMonth
from blogsvc.models.webhook import Webhook
from blogsvc.models.webhook_delivery import WebhookAttempt, WebhookDelivery

__all__ = [
    "SITE",
    "ApiKey",
    "Attempt",
    "AttemptCounter",
    "Author",
    "ChangedPage",
    "Connection",
    "CopySearch",
    "CopyStats",
    "Delivery",
    "DeliveryDay",
    "DraftComment",
    "Event",
    "ExtraCopy",
    "IdempotentResponse",
    "ImportJob",
    "ImportedImage",
    "ImportedPost",
    "IndexNow",
    "Invitation",
    "Media",
    "MediaUse",
    "MissingAddress",
    "Notice",
    "NoticePosition",
    "PageView",
    "Passkey",
    "PendingPublish",
    "Post",
    "PostLabel",
    "PostSlug",
    "PostText",
    "Process",
    "QueueSlot",
    "Quota",
    "RecoveryCode",
    "Redirect",
    "ReferrerDay",
    "ReferrerMonth",
    "Revision",
    "Series",
    "Session",
    "Setting",
    "ShareLink",
    "StagedDraft",
    "StaleDeliveryDay",
    "StreamTicket",
    "TagPage",
    "Upload",
    "Usage",
    "User",
    "ViewDay",
    "ViewHour",
    "ViewMonth",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
    "became_due",
    "close_connections",
    "db",
    "record",
    "retry_write",
    "transaction",
    "wake_scheduler",
]
