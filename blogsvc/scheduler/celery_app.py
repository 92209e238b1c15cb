"""Celery: how messages about lanes are sent and received. Imported only where there is a broker.

A message names a lane and nothing else: the rows say what is to do. So a message may be lost, come twice or too late. A
lost one is sent again by the scheduler that leads, and a second one finds the lane busy or nothing due.

RabbitMQ gives a message to another worker if the connection to the first one ends. With Redis, it is gone when it is
received: a worker of Celery ends if it loses Redis while it has messages to acknowledge (kombu 5.7.0).
"""

from __future__ import annotations

from celery import Celery
from kombu.entity import Exchange, Queue

from blogsvc.config import Config
from blogsvc.scheduler.traffic import TRAFFIC_OF_WORKERS as TRAFFIC

# The name of the task that messages ask for. Its arguments are the name of the traffic and the lane.
OPEN_LANE = "blogsvc.open_lane"
# The longest wait for the broker to connect, and to answer. Seconds.
PATIENCE = 2
# RabbitMQ drops a message that no worker has received in this time. Another one has been sent by then. Milliseconds.
MESSAGE_TTL = 30_000
# How often a connection is checked, in seconds.
HEARTBEAT = 10

_REDIS = {
    "health_check_interval": HEARTBEAT,
    "socket_connect_timeout": PATIENCE,
    "socket_keepalive": True,
    "socket_timeout": PATIENCE,
}
# A worker waits for messages; whoever sends one would also wait without end for a broker that hangs.
_RABBITMQ_OF_WORKERS: dict[str, object] = {"confirm_publish": True}
_RABBITMQ = _RABBITMQ_OF_WORKERS | {"read_timeout": PATIENCE, "write_timeout": PATIENCE}


def queue_of(traffic: str) -> str:
    return f"blogsvc.{traffic}"


def make_celery(config: Config, *, is_worker: bool = False) -> Celery:
    """Return a Celery application of these settings: one that sends messages, or that of a worker, without its task."""
    celery = Celery("blogsvc", broker=config.broker, set_as_current=False)
    is_redis = config.broker.startswith("redis")
    arguments = {} if is_redis else {"x-queue-type": "quorum", "x-message-ttl": MESSAGE_TTL}
    exchange = Exchange("blogsvc", "direct")  # type: ignore[no-untyped-call]
    queues = [
        Queue(name, exchange, name, queue_arguments=arguments, no_ack=is_redis)  # type: ignore[no-untyped-call]
        for name in map(queue_of, TRAFFIC)
    ]
    celery.conf.update(
        accept_content=["json"],
        broker_connection_max_retries=None,
        broker_connection_retry_on_startup=True,
        broker_connection_timeout=PATIENCE,
        broker_heartbeat=HEARTBEAT,
        broker_transport_options=_REDIS if is_redis else _RABBITMQ_OF_WORKERS if is_worker else _RABBITMQ,
        enable_utc=True,
        task_acks_late=not is_redis,
        task_default_queue=queue_of("deliveries"),
        task_ignore_result=True,
        task_publish_retry=False,
        task_queues=queues,
        task_reject_on_worker_lost=True,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_concurrency=config.lanes,
        worker_consumer="blogsvc.worker:LaneConsumer",
        worker_disable_prefetch=is_redis,
        worker_hijack_root_logger=False,
        worker_pool="blogsvc.worker:LanePool",
        worker_prefetch_multiplier=1,
        worker_soft_shutdown_timeout=config.grace_seconds,
    )
    return celery


def send(celery: Celery, traffic: str, lane: str) -> None:
    """Send a message that a lane has work. Raises what Kombu's transports raise if the broker does not accept it."""
    celery.send_task(
        OPEN_LANE, (traffic, lane), queue=queue_of(traffic), ignore_result=True, retry=False, confirm_timeout=PATIENCE
    )
