"""Generates the resources and types of the four client libraries from the OpenAPI document.

    python -m clients.generator        # or: make clients

model.py        reads the document into resources, methods, fields and types
python.py ...   one module per language; the templates are in templates/
"""
