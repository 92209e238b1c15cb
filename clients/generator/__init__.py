"""Writes what follows from the OpenAPI document: the resources of the four client libraries, and their types.

    python -m clients.generator        # or: make clients

model.py        the document as a template wants it: resources, methods, fields, types
python.py ...   how each language says it; templates/ has the text
"""
