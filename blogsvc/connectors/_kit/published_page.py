"""Read a copy on its public page, for platforms whose API doesn't return it as readers see it."""

from __future__ import annotations

from blogsvc.connectors.base import Connector, Receipt, TextPart, Unsupported
from blogsvc.errors import Busy, TextRefused
from blogsvc.lib.workers import text_jobs


def page_parts(connector: Connector, receipt: Receipt) -> tuple[TextPart, ...]:
    """Return the text of the copy on its page, without the title. The page is requested without secrets.

    Raises Unsupported if the copy has no page, or no article can be recognised in it; otherwise ConnectorError.
    """
    if receipt.url is None:
        raise Unsupported("The copy has no public page.")
    headers = {"Accept": "text/html"}
    page = connector.call("GET", receipt.url, headers=headers, expect_json=False, anonymous=True)
    try:
        html = text_jobs.article_in(page.text)
    except (TextRefused, Busy) as error:
        raise Unsupported(str(error)) from None
    if html is None:
        raise Unsupported("No article can be recognised in the page of the copy.")
    return (TextPart("html", html),)
