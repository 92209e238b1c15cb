"""The tables, their rules and their queries. No network."""

from blogsvc.models.answer import Answer
from blogsvc.models.base import became_due, db, hang_up, insist, transaction, wake_the_clock
from blogsvc.models.connection import SITE, Connection
from blogsvc.models.delivery import Attempt, Delivery
from blogsvc.models.event import Event, record
from blogsvc.models.invitation import Invitation
from blogsvc.models.key import ApiKey
from blogsvc.models.media import Media, MediaUse
from blogsvc.models.moving import Import, ImportedPicture, ImportedPost
from blogsvc.models.person import Person
from blogsvc.models.post import Address, Label, Post
from blogsvc.models.revision import Revision
from blogsvc.models.search import PostText
from blogsvc.models.session import Session
from blogsvc.models.setting import Setting
from blogsvc.models.slot import Slot
from blogsvc.models.stat import Stat
from blogsvc.models.view import View
from blogsvc.models.way_in import Passkey, RecoveryCode
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
