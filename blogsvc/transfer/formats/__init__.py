"""Parsers of export files, one module per format. Each yields `parsed_post.ParsedPost`."""
