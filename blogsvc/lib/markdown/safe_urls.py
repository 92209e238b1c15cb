"""URLs that links and images may have."""

_SCHEMES = ("http", "https", "mailto", "tel")


def is_safe(url: str) -> bool:
    """Return True if the URL of a link or image is relative, or has a scheme that our own pages allow."""
    scheme, colon, _ = url.partition(":")
    is_relative = not colon or any(mark in scheme for mark in "/?#")
    return is_relative or scheme.strip().lower() in _SCHEMES
