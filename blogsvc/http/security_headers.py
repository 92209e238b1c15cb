"""Add security headers to every response. A view can replace them."""

from __future__ import annotations

from flask import Flask, Response, request

from blogsvc.http.token_links import without_token

# Scripts and fonts only from here, and images only over https. Data blocks (JSON-LD) are not scripts, so they are
# allowed. No script connects, but audits in browsers request robots.txt in the name of the page and need connect-src.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' https:",
        "media-src 'self' https:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
HSTS = "max-age=31536000"


def init(app: Flask) -> None:
    @app.after_request
    def guard(response: Response) -> Response:
        if without_token(request.path) != request.path:  # no request that the page starts repeats its address
            response.headers.setdefault("Referrer-Policy", "no-referrer")
        # Looking up each header would search the whole list again.
        present = {name.lower() for name, _ in response.headers}
        for name, value in SECURITY_HEADERS.items():
            if name.lower() not in present:
                response.headers.add(name, value)
        if request.is_secure:
            response.headers.setdefault("Strict-Transport-Security", HSTS)
        return response
