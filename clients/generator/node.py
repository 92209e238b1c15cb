"""How Node.js says it: a class for each resource in JavaScript, and TypeScript's declarations of all that is public."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator

from clients.generator.model import Api, Field, Method, Resource, Type, templates

WIDTH = 120
# `Webhook` is what verifies messages.
RENAMED = {"Webhook": "WebhookSubscription"}
# Types that are written by hand, beside those of options.
OTHERS = {"Answer", "Listing", "Uploadable"}
# What to call the enumerations that come more than once, and the values that they begin with.
ENUMERATIONS = {
    "PostStatus": ("draft", "scheduled"),
    "PostField": ("id", "title"),
    "DeliveryState": ("queued", "sending", "delivered"),
    "WebhookDeliveryState": ("queued", "sending", "retrying"),
    "EventType": ("post.created",),
    "EventPattern": ("*",),
    "Scope": ("all", "posts:read"),
    "Metric": ("views", "visitors"),
}


def files(api: Api) -> dict[str, str]:
    # What takes the bytes of a file is no type: `media.upload` has its own.
    schemas = tuple(one for one in api.schemas if not any(field.type.kind == "bytes" for field in one.fields))
    environment = templates(
        "node",
        doc=doc,
        pascal=pascal,
        request=request,
        arguments=arguments,
        signatures=signatures,
        field=field_declaration,
        union=union,
        imports=imports,
        renamed=renamed,
        documentation=documentation,
    )

    def written(template: str, **words: object) -> str:
        return environment.get_template(template).render(api=api, **words)

    made = {
        "node/src/schemas.d.ts": written("schemas.d.ts.j2", schemas=schemas, enumerations=enumerations(api)),
        "node/src/resources/index.js": written("index.js.j2"),
        "node/src/resources/index.d.ts": written("index.d.ts.j2"),
    }
    for resource in api.resources:
        words = _words(api, resource)
        made[f"node/src/resources/{resource.name}.js"] = written("resource.js.j2", **words)
        made[f"node/src/resources/{resource.name}.d.ts"] = written("resource.d.ts.j2", **words)
    return made


def _words(api: Api, resource: Resource) -> dict[str, object]:
    """What the templates of a resource are told: the types of its methods' fields, those of its own, what to import."""
    types = {one.name: fields_type(api, resource, one) for one in resource.methods if one.fields}
    known = {renamed(schema.name) for schema in api.schemas}
    own = [(types[one.name], one) for one in resource.methods if one.fields and types[one.name] not in known]
    texts = [text for one in resource.methods for text in signatures(one, types.get(one.name, ""))]
    texts += [declared(field.type, True) for _, method in own for field in method.fields]
    texts += ["Answer Post WaitOptions"] if resource.name == "posts" else []
    used = {word for text in texts for word in re.findall(r"\w+", text)}
    return {
        "resource": resource,
        "types": types,
        "own": own,
        "schemas": sorted(used & {*known, *ENUMERATIONS, "Time"}),
        "others": sorted(word for word in used if word in OTHERS or word.endswith("Options")),
    }


def pascal(name: str) -> str:
    return name[0].upper() + name[1:]


def renamed(name: str) -> str:
    return RENAMED.get(name, name)


def fields_type(api: Api, resource: Resource, method: Method) -> str:
    """The name of the type of a method's fields: that of the schema which is its body, or one of its own."""
    same = (renamed(one.name) for one in api.schemas if one.is_input and method.body and one.fields == method.body)
    return next(same, f"{pascal(resource.name)}{pascal(method.name)}Fields")


def enumerations(api: Api) -> dict[str, str]:
    """Those that have a name of their own, as types."""
    fields = [field for schema in api.schemas for field in schema.fields]
    fields += [field for method in api.methods for field in method.fields]
    found = {_enumeration(each): each.values for field in fields for each in _parts(field.type)}
    return {name: literals(values) for name, values in sorted(found.items()) if name}


def _parts(type_: Type) -> Iterator[Type]:
    yield type_
    for part in (*type_.options, *([type_.items] if type_.items else [])):
        yield from _parts(part)


def _enumeration(type_: Type) -> str:
    """Its name; none for one that has no name of its own."""
    if type_.kind != "enum":
        return ""
    return next((name for name, first in ENUMERATIONS.items() if type_.values[: len(first)] == first), "")


def declared(type_: Type, is_input: bool) -> str:
    """A type as TypeScript writes it."""
    text = _bare(type_, is_input)
    return f"{text} | null" if type_.is_nullable else text


def _bare(type_: Type, is_input: bool) -> str:
    match type_.kind:
        case "time":
            return "Time" if is_input else "string"
        case "integer" | "number":
            return "number"
        case "enum":
            text = _enumeration(type_) or literals(type_.values)
            is_open = not is_input and isinstance(type_.values[0], str)
            return f"Open<{text}>" if is_open else text
        case "array":
            assert type_.items
            items = declared(type_.items, is_input)
            is_one = " | " not in items or items.startswith("Open<")
            return f"readonly {items}[]" if is_one else f"readonly ({items})[]"
        case "map":
            assert type_.items
            return f"Readonly<Record<string, {declared(type_.items, is_input)}>>"
        case "any":
            return "unknown"
        case "ref":
            return renamed(type_.name)
        case "union":
            texts = dict.fromkeys(declared(one, is_input) for one in type_.options)
            return " | ".join(text for text in texts if not (text == "string" and "Time" in texts))
        case kind:
            return kind


def literals(values: tuple[object, ...]) -> str:
    return " | ".join(json.dumps(value) for value in values)


def field_declaration(field: Field, is_input: bool) -> str:
    """A field of an interface. What need not be given may be undefined as well."""
    name = f"  {'' if is_input else 'readonly '}{field.name}{'' if field.is_required else '?'}:"
    return union(name, declared(field.type, is_input) + ("" if field.is_required else " | undefined"), 2)


def union(begin: str, types: str, indent: int = 0) -> str:
    """A declaration; where it is long, its types stand on a line below, or on one each."""
    space = " " * indent
    listed = re.fullmatch(r"readonly \((.*)\)\[\]", types)
    if len(begin) + len(types) + 2 <= WIDTH:
        return f"{begin} {types};"
    if listed:
        return f"{begin} readonly (\n{space}  {listed[1]}\n{space})[];"
    if indent + len(types) + 3 <= WIDTH:
        return f"{begin}\n{space}  {types};"
    return begin + "".join(f"\n{space}  | {one}" for one in types.split(" | ")) + ";"


def imports(names: list[str], module: str) -> str:
    line = f'import type {{ {", ".join(names)} }} from "{module}";'
    if len(line) <= WIDTH:
        return line
    return "\n".join(["import type {", *(f"  {name}," for name in names), f'}} from "{module}";'])


def doc(text: str, indent: int = 0) -> str:
    """A comment of documentation, of one line where that is enough."""
    space = " " * indent
    if "\n" not in text and len(text) + indent + 7 <= WIDTH:
        return f"{space}/** {text} */"
    lines = [line for part in text.split("\n\n") for line in [*_wrapped(part, WIDTH - indent - 3), ""]][:-1]
    return "\n".join([f"{space}/**", *(f"{space} * {line}".rstrip() for line in lines), f"{space} */"])


def _wrapped(paragraph: str, width: int) -> list[str]:
    """Tags keep to lines of their own."""
    if paragraph.startswith("@"):
        return [line for tag in paragraph.split("\n") for line in textwrap.wrap(tag, width, subsequent_indent="  ")]
    return textwrap.wrap(" ".join(paragraph.split()), width)


def arguments(method: Method) -> str:
    """Those of a method in JavaScript."""
    file = ["file"] if method.is_upload else []
    fields = ["fields"] if method.fields else []
    return ", ".join([*file, *(one.name for one in method.ids), *fields, "options"])


def request(method: Method) -> str:
    """The call that a method makes of the transport."""
    assert not (method.query and method.body), f"{method.operation}: fields that go to two places"
    assert not (method.query and method.fixed), f"{method.operation}: a query of two sources"
    verb = "upload" if method.is_upload else {"page": "list", "stream": "stream"}.get(method.answers, "send")
    parts = ", ".join(_part(method, one) for one in method.path.strip("/").split("/"))
    fixed = ", ".join(f"{name}: {json.dumps(value)}" for name, value in method.fixed.items())
    place = "form" if method.is_upload else "body"
    takes = {"ifMatch": method.takes_if_match, "ifNoneMatch": method.takes_if_none_match, "wait": method.takes_wait}
    taken = [name for name, is_taken in takes.items() if is_taken]
    words = [
        f'method: "{method.verb}"',
        f"path: [{parts}]",
        *([f"query: {{ {fixed} }}"] if fixed else []),
        *(["query: fields"] if method.query else []),
        *([f"{place}: fields"] if method.body else []),
        *([f"takes: {json.dumps(taken)}"] if taken else []),
    ]
    file = "file, " if method.is_upload else ""
    line = f"    return this.#transport.{verb}({file}{{ {', '.join(words)} }}, options);"
    if len(line) <= WIDTH:
        return line
    call = f"return this.#transport.{verb}("
    return "\n".join([f"    {call}", f"      {file}{{ {', '.join(words)} }},", "      options,", "    );"])


def _part(method: Method, part: str) -> str:
    """A part of a path: a word, or an id by its name."""
    if not part.startswith("{"):
        return json.dumps(part)
    place = [one for one in method.path.split("/") if one.startswith("{")].index(part)
    return method.ids[place].name


def signatures(method: Method, fields: str) -> list[str]:
    """How a method may be called, as TypeScript declares it."""
    if not method.takes_if_none_match:
        return [_signature(method, fields, _options(method), "")]
    conditional = "ConditionalOptions"
    return [_signature(method, fields, "ReadOptions", ""), _signature(method, fields, conditional, " | null")]


def _signature(method: Method, fields: str, options: str, otherwise: str) -> str:
    file = ["file: Uploadable"] if method.is_upload else []
    ids = [f"{one.name}: {declared(one.type, True)}" for one in method.ids]
    # A method's fields need not be given where none of them must be.
    is_needed = any(one.is_required for one in method.fields)
    given = [f"fields{'' if is_needed else '?'}: {fields}{'' if is_needed else ' | null'}"] if method.fields else []
    taken = [*file, *ids, *given, f"options?: {options}"]
    answer = _answer(method, otherwise)
    line = f"  {method.name}({', '.join(taken)}): {answer};"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"  {method.name}(", *(f"    {one}," for one in taken), f"  ): {answer};"])


def _options(method: Method) -> str:
    if method.is_upload:
        return "UploadOptions"
    if method.takes_wait:
        return "PublishOptions"
    if method.takes_if_match:
        return "ChangeOptions"
    return "WriteOptions" if method.takes_idempotency_key else "RequestOptions"


def _answer(method: Method, otherwise: str) -> str:
    answer = renamed(method.answer)
    match method.answers:
        case "none":
            return "Promise<null>"
        case "maybe":
            return f"Promise<Answer<{answer}> | null>"
        case "page":
            return f"Listing<{answer}>"
        case "stream":
            return f"AsyncGenerator<{answer}, void, undefined>"
        case "one":
            return f"Promise<Answer<{answer}>{otherwise}>"


def documentation(method: Method, overload: int = 0) -> str:
    """What is known of a method: what it does, its scope, its arguments, and the errors that are its own."""
    if overload:
        return "The same; null where nothing has changed since the ETag `ifNoneMatch`."
    scope = f"Scope: `{method.scope}`." if method.scope else "Any key will do."
    tags = ["@param file A path (in Node.js), a Blob, bytes or a stream."] if method.is_upload else []
    tags += [f"@param {one.name} {one.description}" for one in method.ids]
    tags += ["@throws {NotFoundError} There is no such thing."] if method.ids else []
    if method.fields:
        tags.append("@throws {InvalidError} Something in the fields is wrong; `errors` says all of it.")
    if method.takes_if_match:
        tags.append("@throws {PreconditionFailedError} With `ifMatch`: somebody else has changed it since.")
    return "\n\n".join(part for part in (f"{method.summary}.", method.description, scope, "\n".join(tags)) if part)
