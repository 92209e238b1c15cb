"""The official Python client for blogsvc.

    from blogsvc_client import Client

    with Client("bsk_...", "https://blog.example.org") as client:
        post = client.posts.create(title="Hello", content="World")
        client.posts.publish(post.id)

`Client` is synchronous, `AsyncClient` is for asyncio. `blogsvc_client.types` has the types of requests and responses.
"""

from ._client import AsyncClient, Client
from ._encode import NOT_GIVEN, NotGiven
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
from ._logging import LogEntry
from ._pagination import AsyncPage, AsyncPaginator, Page
from ._record import Record, Response
from ._stream import AsyncStream, Stream
from ._version import __version__
from ._webhook import Webhook, WebhookMessage

__all__ = [
    "NOT_GIVEN",
    "APIConnectionError",
    "APIError",
    "AsyncClient",
    "AsyncPage",
    "AsyncPaginator",
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
