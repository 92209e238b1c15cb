"""What all authoring pages share: routes and their checks, rendering, forms, wording, cookies and error pages."""
