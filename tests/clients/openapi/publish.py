"""Write, publish and read a post on a real server, with the client that openapi-python-client makes."""

import json
import os

from blogsvc_client import AuthenticatedClient
from blogsvc_client.api.posts import create_post, list_posts, publish_post, update_post
from blogsvc_client.models import Post, PostChange, PostInput, Posts, Problem

with AuthenticatedClient(f"{os.environ['BLOGSVC_URL']}/api/v1", os.environ["BLOGSVC_API_KEY"]) as client:
    created = create_post.sync(client=client, body=PostInput(title="Gold", content="Up.", tags=["prices"]))
    assert isinstance(created, Post)
    update_post.sync(created.id, client=client, body=PostChange(summary="By a tenth."))
    publish_post.sync(created.id, client=client, prefer="wait=20")
    found = list_posts.sync(client=client, tag=["prices"])
    assert isinstance(found, Posts)
    print(json.dumps([{"title": post.title, "status": post.status, "summary": post.summary} for post in found.data]))
    refused = create_post.sync(client=client, body=PostInput(title=""))
    assert isinstance(refused, Problem)
    print(refused.errors[0].pointer)
