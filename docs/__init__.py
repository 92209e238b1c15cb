"""The documentation of blogsvc. `python -m docs` generates the reference pages from the code."""
