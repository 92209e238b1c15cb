"""Compare HTML by what editors and filters of platforms leave unchanged."""

from __future__ import annotations

from bs4 import BeautifulSoup


def words_and_links(html: str) -> list[str]:
    """Return the words as one text, and where links lead."""
    soup = BeautifulSoup(html, "html.parser")
    return ["".join(soup.get_text().split()), *(str(link["href"]) for link in soup.find_all("a", href=True))]
