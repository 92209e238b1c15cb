"""The HTTP server: Granian, the RSGI adapter, logging and security headers."""
