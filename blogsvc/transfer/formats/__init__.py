"""Readers of export files, one module per format. Each yields posts in one form (`parsed_post.ParsedPost`)."""
