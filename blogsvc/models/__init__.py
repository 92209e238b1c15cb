"""The tables, their rules and their queries. No network."""

from blogsvc.models.base import became_due, db, hang_up, insist, transaction, wake_the_clock
from blogsvc.models.connection import SITE, Connection
from blogsvc.models.copy_stats import Stat
from blogsvc.models.delivery import Attempt, Delivery
from blogsvc.models.event import Event, record
from blogsvc.models.idempotent_response import Answer
from blogsvc.models.import_job import Import, ImportedPicture, ImportedPost
from blogsvc.models.invitation import Invitation
from blogsvc.models.key import ApiKey
from blogsvc.models.media import Media, MediaUse
from blogsvc.models.page_view import View
from blogsvc.models.passkey import Passkey, RecoveryCode
from blogsvc.models.person import Person
from blogsvc.models.post import Address, Label, Post
from blogsvc.models.post_search import PostText
from blogsvc.models.queue_slot import Slot
from blogsvc.models.revision import Revision
from blogsvc.models.session import Session
from blogsvc.models.setting import Setting
from blogsvc.models.webhook import Webhook
from blogsvc.models.webhook_delivery import WebhookAttempt, WebhookDelivery

__all__ = [
    "SITE",
    "Address",
    "Answer",
    "ApiKey",
    "Attempt",
    "Connection",
    "Delivery",
    "Event",
    "Import",
    "ImportedPicture",
    "ImportedPost",
    "Invitation",
    "Label",
    "Media",
    "MediaUse",
    "Passkey",
    "Person",
    "Post",
    "PostText",
    "RecoveryCode",
    "Revision",
    "Session",
    "Setting",
    "Slot",
    "Stat",
    "View",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
    "became_due",
    "db",
    "hang_up",
    "insist",
    "record",
    "transaction",
    "wake_the_clock",
]
