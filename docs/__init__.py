"""What there is to read about blogsvc; `python -m docs` writes the parts that follow from the code."""
