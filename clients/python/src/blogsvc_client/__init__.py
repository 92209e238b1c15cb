"""The official client of blogsvc.

    from blogsvc_client import Client

    with Client("bsk_...", "https://blog.example.org") as client:
        post = client.posts.create(title="Hello", content="World")
        client.posts.publish(post.id)

`Client` is for threads, `AsyncClient` for asyncio. `blogsvc_client.types` has the types of what goes in and comes out.
"""

from ._client import AsyncClient, Client
from ._errors import (
    APIConnectionError,
    APIError,
    AuthenticationError,
    BadRequestError,
    BlogsvcError,
    ConfigurationError,
    ConflictError,
    InvalidError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    WaitTimeoutError,
    WebhookSignatureError,
)
from ._log import LogEntry
from ._pages import AsyncPage, AsyncPages, Page
from ._record import Record, Response
from ._streams import AsyncStream, Stream
from ._version import __version__
from ._webhook import Webhook, WebhookMessage
from ._writing import NOT_GIVEN, NotGiven

__all__ = [
    "NOT_GIVEN",
    "APIConnectionError",
    "APIError",
    "AsyncClient",
    "AsyncPage",
    "AsyncPages",
    "AsyncStream",
    "AuthenticationError",
    "BadRequestError",
    "BlogsvcError",
    "Client",
    "ConfigurationError",
    "ConflictError",
    "InvalidError",
    "LogEntry",
    "NotFoundError",
    "NotGiven",
    "Page",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "RateLimitError",
    "Record",
    "RequestTimeoutError",
    "Response",
    "ServerError",
    "Stream",
    "WaitTimeoutError",
    "Webhook",
    "WebhookMessage",
    "WebhookSignatureError",
    "__version__",
]
