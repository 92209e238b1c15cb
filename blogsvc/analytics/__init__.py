"""Count page views, and report statistics of posts."""
