"""Sample content for `blogsvc demo`: posts in every state, sandbox destinations and two months of figures."""
