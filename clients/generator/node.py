"""Generates the resources of the Node.js library in JavaScript, and the TypeScript declarations of its public API."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from clients.generator.model import Api, Field, Method, Resource, Type, template_environment

WIDTH = 120
# The class `Webhook` verifies messages.
RENAMED = {"Webhook": "WebhookSubscription"}
# Types declared in types.d.ts that generated code may use, besides the types of options.
SHARED_TYPES = {"APIResponse", "PagePromise", "Uploadable"}
# Names of the exported enums, nested with the values that identify it.
NAMED_ENUMS = {
    "PostStatus": ("draft", "scheduled"),
    "PostField": ("id", "title"),
    "DeliveryState": ("queued", "sending", "delivered"),
    "WebhookDeliveryState": ("queued", "sending", "retrying"),
    "EventType": ("post.created",),
    "EventPattern": ("*",),
    "Scope": ("all", "posts:read"),
    "Metric": ("views", "visitors"),
}


def generate(api: Api) -> dict[str, str]:
    """Return the text of nested generated file by its path relative to clients/."""
    # The schema with the bytes of an upload is left out: the parameter `file` of `media.upload` replaces it.
    schemas = tuple(one for one in api.schemas if not any(field.type.kind == "bytes" for field in one.fields))
    environment = template_environment(
        "node",
        doc_comment=doc_comment,
        pascal=pascal,
        transport_call=transport_call,
        arguments=arguments,
        signatures=signatures,
        field=partial(property_declaration, sent_back=_sent_back(api)),
        type_declaration=type_declaration,
        imports=imports,
        renamed=renamed,
        method_doc=method_doc,
    )

    def render(template: str, **context: object) -> str:
        return environment.get_template(template).render(api=api, **context)

    files = {
        "node/src/schemas.d.ts": render(
            "schemas.d.ts.j2", schemas=schemas, enums=enums(api), read_enums=_read_enums(api)
        ),
        "node/src/resources/index.js": render("index.js.j2"),
        "node/src/resources/index.d.ts": render("index.d.ts.j2"),
    }
    for resource in api.resources:
        context = _resource_context(api, resource)
        files[f"node/src/resources/{resource.name}.js"] = render("resource.js.j2", **context)
        files[f"node/src/resources/{resource.name}.d.ts"] = render("resource.d.ts.j2", **context)
    return files


def _resource_context(api: Api, resource: Resource) -> dict[str, object]:
    """Return the variables of the resource templates: the types of nested method's fields, and the types to import."""
    types = {one.name: fields_type_name(api, resource, one) for one in resource.methods if one.fields}
    known = {renamed(schema.name) for schema in api.schemas}
    declared = [(types[one.name], one) for one in resource.methods if one.fields and types[one.name] not in known]
    texts = [text for one in resource.methods for text in signatures(one, types.get(one.name, ""))]
    texts += [typescript_type(field.type, True) for _, method in declared for field in method.fields]
    texts += ["APIResponse Post WaitOptions"] if resource.name == "posts" else []
    used = {word for text in texts for word in re.findall(r"\w+", text)}
    return {
        "resource": resource,
        "types": types,
        "declared": declared,
        "schemas": sorted(used & {*known, *NAMED_ENUMS, "Time"}),
        "shared": sorted(word for word in used if word in SHARED_TYPES or word.endswith("Options")),
    }


def pascal(name: str) -> str:
    return name[0].upper() + name[1:]


def renamed(name: str) -> str:
    return RENAMED.get(name, name)


def fields_type_name(api: Api, resource: Resource, method: Method) -> str:
    """Return the type name of a method's fields: the schema of its body, or else a name made of the method's."""
    same = (renamed(one.name) for one in api.schemas if one.is_input and method.body and one.fields == method.body)
    return next(same, f"{pascal(resource.name)}{pascal(method.name)}Fields")


def enums(api: Api) -> dict[str, str]:
    """Return the exported enums as TypeScript types, by name."""
    fields = [field for schema in api.schemas for field in schema.fields]
    fields += [field for method in api.methods for field in method.fields]
    found = {_enum_name(nested): nested.values for field in fields for nested in _nested_types(field.type)}
    return {name: literals(values) for name, values in sorted(found.items()) if name}


def _nested_types(type_: Type) -> Iterator[Type]:
    yield type_
    for part in (*type_.options, *([type_.items] if type_.items else [])):
        yield from _nested_types(part)


def _enum_name(type_: Type) -> str:
    """Return the exported name of an enum, or an empty string."""
    if type_.kind != "enum":
        return ""
    return next((name for name, first in NAMED_ENUMS.items() if type_.values[: len(first)] == first), "")


def typescript_type(type_: Type, is_input: bool) -> str:
    """Return a type in TypeScript."""
    text = _non_null_type(type_, is_input)
    return f"{text} | null" if type_.is_nullable else text


def _non_null_type(type_: Type, is_input: bool) -> str:
    match type_.kind:
        case "time":
            return "Time" if is_input else "string"
        case "integer" | "number":
            return "number"
        case "enum":
            text = _enum_name(type_) or literals(type_.values)
            is_open = not is_input and isinstance(type_.values[0], str)
            return f"OpenEnum<{text}>" if is_open else text
        case "array":
            assert type_.items
            items = typescript_type(type_.items, is_input)
            is_one = " | " not in items or items.startswith("OpenEnum<")
            return f"readonly {items}[]" if is_one else f"readonly ({items})[]"
        case "map":
            assert type_.items
            return f"Readonly<Record<string, {typescript_type(type_.items, is_input)}>>"
        case "any":
            return "unknown"
        case "ref":
            return renamed(type_.name)
        case "union":
            texts = dict.fromkeys(typescript_type(one, is_input) for one in type_.options)
            return " | ".join(text for text in texts if not (text == "string" and "Time" in texts))
        case kind:
            return kind


def literals(values: tuple[object, ...]) -> str:
    return " | ".join(json.dumps(value) for value in values)


def _sent_back(api: Api) -> dict[str, Type]:
    """Return the types of objects in requests, by the name of their field.

    Responses have the same objects in fields without a schema. With their type, `update(id, { ...post })` compiles.
    """
    fields = [field for schema in api.schemas if schema.is_input for field in schema.fields]
    return {field.name: field.type for field in fields if field.type.kind == "map" and field.type.items.kind == "ref"}


def _read_enums(api: Api) -> dict[str, tuple[object, ...]]:
    """Return the values of enums in responses, by the name of their field.

    A response may have values that are newer than the client. A request takes them back in the same field.
    """
    fields = [field for schema in api.schemas if not schema.is_input for field in schema.fields]
    return {field.name: field.type.values for field in fields if field.type.kind == "enum"}


def property_declaration(
    field: Field,
    is_input: bool,
    sent_back: dict[str, Type] | None = None,
    read: dict[str, tuple[object, ...]] | None = None,
) -> str:
    """Return a property of an interface. An optional one may also be undefined."""
    type_ = field.type
    is_read_first = type_.kind == "enum" and (read or {}).get(field.name) == type_.values
    if not is_input and type_.kind == "map" and field.name in (sent_back or {}):
        type_ = replace(sent_back[field.name], is_nullable=type_.is_nullable)
    name = f"  {'' if is_input else 'readonly '}{field.name}{'' if field.is_required else '?'}:"
    types = typescript_type(type_, is_input and not is_read_first)
    return type_declaration(name, types + ("" if field.is_required else " | undefined"), 2)


def type_declaration(start: str, types: str, indent: int = 0) -> str:
    """Return a declaration. A long one is wrapped, with its types on the next line or on a line nested."""
    space = " " * indent
    listed = re.fullmatch(r"readonly \((.*)\)\[\]", types)
    if len(start) + len(types) + 2 <= WIDTH:
        return f"{start} {types};"
    if listed:
        return f"{start} readonly (\n{space}  {listed[1]}\n{space})[];"
    if indent + len(types) + 3 <= WIDTH:
        return f"{start}\n{space}  {types};"
    return start + "".join(f"\n{space}  | {one}" for one in types.split(" | ")) + ";"


def imports(names: list[str], module: str) -> str:
    line = f'import type {{ {", ".join(names)} }} from "{module}";'
    if len(line) <= WIDTH:
        return line
    return "\n".join(["import type {", *(f"  {name}," for name in names), f'}} from "{module}";'])


def doc_comment(text: str, indent: int = 0) -> str:
    """Return a JSDoc comment, on one line if it fits."""
    space = " " * indent
    if "\n" not in text and len(text) + indent + 7 <= WIDTH:
        return f"{space}/** {text} */"
    lines = [line for part in text.split("\n\n") for line in [*_wrapped(part, WIDTH - indent - 3), ""]][:-1]
    return "\n".join([f"{space}/**", *(f"{space} * {line}".rstrip() for line in lines), f"{space} */"])


def _wrapped(paragraph: str, width: int) -> list[str]:
    """Wrap a paragraph. Each tag starts on a new line."""
    if paragraph.startswith("@"):
        return [line for tag in paragraph.split("\n") for line in textwrap.wrap(tag, width, subsequent_indent="  ")]
    return textwrap.wrap(" ".join(paragraph.split()), width)


def arguments(method: Method) -> str:
    """Return the parameter list of a method in JavaScript."""
    file = ["file"] if method.is_upload else []
    fields = ["fields"] if method.fields else []
    return ", ".join([*file, *(one.name for one in method.ids), *fields, "options"])


def transport_call(method: Method) -> str:
    """Return the body of a method: its call of the transport."""
    assert not (method.query and method.body), f"{method.operation} has both query and body fields"
    verb = "upload" if method.is_upload else {"page": "list", "stream": "stream"}.get(method.returns, "send")
    parts = ", ".join(_path_segment(method, one) for one in method.path.strip("/").split("/"))
    body = "form" if method.is_upload else "body"
    accepts = {
        "ifMatch": method.accepts_if_match,
        "ifNoneMatch": method.accepts_if_none_match,
        "wait": method.accepts_wait,
        "dryRun": method.accepts_dry_run,
    }
    accepted = [name for name, is_accepted in accepts.items() if is_accepted]
    request = [
        f'method: "{method.verb}"',
        f"path: [{parts}]",
        *(["query: fields"] if method.query else []),
        *([f"{body}: fields"] if method.body else []),
        *([f"accepts: {json.dumps(accepted)}"] if accepted else []),
    ]
    file = "file, " if method.is_upload else ""
    line = f"    return this.#transport.{verb}({file}{{ {', '.join(request)} }}, options);"
    if len(line) <= WIDTH:
        return line
    call = f"return this.#transport.{verb}("
    lines = [*(["file,"] if method.is_upload else []), f"{{ {', '.join(request)} }},", "options,"]
    return "\n".join([f"    {call}", *(f"      {one}" for one in lines), "    );"])


def _path_segment(method: Method, part: str) -> str:
    """Return a segment of a path as a JavaScript expression: a string, or the name of an id."""
    if not part.startswith("{"):
        return json.dumps(part)
    index = [one for one in method.path.split("/") if one.startswith("{")].index(part)
    return method.ids[index].name


def signatures(method: Method, fields: str) -> list[str]:
    """Return the overloads of a method in TypeScript."""
    if not method.accepts_if_none_match:
        return [_signature(method, fields, _options(method), "")]
    conditional = "ConditionalOptions"
    return [_signature(method, fields, "ReadOptions", ""), _signature(method, fields, conditional, " | null")]


def _signature(method: Method, fields: str, options: str, suffix: str) -> str:
    file = ["file: Uploadable"] if method.is_upload else []
    ids = [f"{one.name}: {typescript_type(one.type, True)}" for one in method.ids]
    # The parameter `fields` is optional if every field is.
    is_required = any(one.is_required for one in method.fields)
    optional, nullable = ("", "") if is_required else ("?", " | null")
    parameters = [*file, *ids, *([f"fields{optional}: {fields}{nullable}"] if method.fields else [])]
    parameters.append(f"options?: {options}")
    return_type = _return_type(method, suffix)
    line = f"  {method.name}({', '.join(parameters)}): {return_type};"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"  {method.name}(", *(f"    {one}," for one in parameters), f"  ): {return_type};"])


def _options(method: Method) -> str:
    if method.is_upload:
        return "UploadOptions"
    if method.accepts_wait:
        return "PublishOptions"
    if method.accepts_if_match:
        return "ChangeOptions"
    if method.accepts_idempotency_key:
        return "WriteOptions" if method.accepts_dry_run else "IdempotentOptions"
    return "DryRunOptions" if method.accepts_dry_run else "RequestOptions"


def _return_type(method: Method, suffix: str) -> str:
    schema = renamed(method.schema)
    match method.returns:
        case "none":
            return "Promise<null>"
        case "optional":
            return f"Promise<APIResponse<{schema}> | null>"
        case "page":
            return f"PagePromise<{schema}>"
        case "stream":
            return f"AsyncGenerator<{schema}, void, undefined>"
        case "document":
            return f"Promise<APIResponse<{schema}>{suffix}>"


def method_doc(method: Method, overload: int = 0) -> str:
    """Return the documentation of a method: description, scope, parameters and specific errors."""
    if overload:
        return "With `ifNoneMatch`, resolves to null if the resource has not changed since that ETag."
    scope = method.needed_scopes() or "Works with any API key."
    tags = ["@param file A path (Node.js only), a Blob, bytes or a stream."] if method.is_upload else []
    tags += [f"@param {one.name} {one.description}" for one in method.ids]
    tags += ["@throws {NotFoundError} The resource does not exist."] if method.ids else []
    if method.fields:
        tags.append("@throws {InvalidError} The request is invalid. `errors` lists every problem.")
    if method.accepts_if_match:
        tags.append("@throws {PreconditionFailedError} The resource has changed since `ifMatch`.")
    return "\n\n".join(part for part in (f"{method.summary}.", method.description, scope, "\n".join(tags)) if part)
