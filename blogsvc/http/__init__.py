"""What the HTTP entry points share: body limits, lanes for costly work, streams, downloads, security headers."""
