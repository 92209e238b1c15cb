"""Compose what a destination is sent, also if its connector is broken."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from blogsvc.connectors import base
from blogsvc.connectors.base import Article, Connector, Payload
from blogsvc.errors import Busy, TextRefused

log = logging.getLogger(__name__)


def compose(connector: Connector, article: Article, options: Mapping[str, str]) -> Payload:
    """Return what would be sent.

    Raises ConnectorError, TextRefused or Busy. Any other error of the connector is logged and raised as Broken.
    """
    try:
        return connector.compose(article, options)
    except (base.ConnectorError, TextRefused, Busy):
        raise
    except Exception as error:
        log.exception("the connector for %s could not compose post %s", connector.label, article.id)
        raise base.Broken(f"The connector for {connector.label} failed. The log has the details.") from error
