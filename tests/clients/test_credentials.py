"""A key reaches only the server that it was given with, in whatever form both are given.

Each test runs a program in the client's language. Two servers listen: the one whose key and URL the program gives to
the client, and another, which the environment and everything else that could mislead a client names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.conftest import require_program
from tests.clients.projects import CLIENTS
from tests.receiver import Receiver

KEY = "bsk_given5Rz0q7Qm2ZJYvXw8TnUcKdLb3sPaE6h"
OTHER_KEY = "bsk_other1Hs9fGk4VtNyBpMxQe7WjCrDuZo2aLi"
SEPARATOR = "\x1e"  # of the output of several clients
PROGRAM_TIMEOUT = 60  # seconds


@dataclass(frozen=True)
class Language:
    """How to run a program. `set_up` defines the key and the URL; `request` sends a request with `{client}`.

    `each` runs each code of the variable CODES, and prints SEPARATOR and its error, with the stack trace, to stderr.
    """

    name: str
    command: tuple[str, ...]
    set_up: str
    request: str
    each: str

    def run(self, client: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Send a request with the client that this expression creates."""
        return self.run_code(self.request.replace("{client}", client), environ)

    def errors(self, clients: Sequence[str], environ: dict[str, str]) -> list[str]:
        """Send a request with each of these clients in one program, and return the error of each, "" if it has none."""
        codes = [self.request.replace("{client}", client) for client in clients]
        result = self.run_code(self.each, environ | {"CODES": json.dumps(codes)})
        before, *errors = result.stderr.split(SEPARATOR)
        assert (result.returncode, result.stdout, before, len(errors)) == (0, "", "", len(clients)), result.stderr
        return errors

    def run_code(self, code: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
        require_program(self.command[0])
        command = [*self.command, f"{self.set_up}\n{code}"]
        environ = {name: value for name, value in os.environ.items() if not name.startswith("BLOGSVC_")} | environ
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=PROGRAM_TIMEOUT)


PYTHON = Language(
    "python",
    (sys.executable, "-c"),
    f"""
import asyncio, os, sys
sys.path.insert(0, {str(CLIENTS / "python" / "src")!r})
from blogsvc_client import AsyncClient, Client
key, url = os.environ["KEY"], os.environ["URL"]
""",
    """
client = {client}
result = client.me()
asyncio.run(result) if isinstance(client, AsyncClient) else result
""",
    r"""
import json, traceback
for code in json.loads(os.environ["CODES"]):
    print(end="\x1e", file=sys.stderr)
    try:
        exec(code)
    except Exception:
        traceback.print_exc()
""",
)
NODE = Language(
    "node",
    ("node", "--input-type=module", "--eval"),
    f"""
import {{ createRequire }} from "node:module";
import {{ Client }} from {str(CLIENTS / "node" / "src" / "index.js")!r};
const required = createRequire({str(CLIENTS) + "/"!r})("./node/src/index.js");
const {{ KEY: key, URL: url }} = process.env;
""",
    "await ({client}).me();",
    r"""
for (const code of JSON.parse(process.env.CODES)) {
  process.stderr.write("\x1e");
  try {
    await eval(`(async () => { ${code} })()`);
  } catch (error) {
    console.error(error);
  }
}
""",
)
PHP = Language(
    "php",
    (
        *("php", "-d", "display_errors=stderr"),
        # Without #[SensitiveParameter], a stack trace shows the whole key.
        *("-d", "zend.exception_ignore_args=0", "-d", "zend.exception_string_param_max_len=1000"),
        "-r",
    ),
    f"""
require '{CLIENTS / "php" / "autoload.php"}';
use Blogsvc\\{{Client, Options}};
[$key, $url] = [getenv('KEY'), getenv('URL')];
""",
    "({client})->me();",
    r"""
foreach (json_decode(getenv('CODES')) as $code) {
    fwrite(STDERR, "\x1e");
    try {
        eval("use Blogsvc\\{Client, Options}; $code");
    } catch (Throwable $error) {
        fwrite(STDERR, (string) $error);
    }
}
""",
)
RUBY = Language(
    "ruby",
    ("ruby", f"-I{CLIENTS / 'ruby' / 'lib'}", "-rblogsvc", "-e"),
    """
Client = Blogsvc::Client
key, url = ENV.values_at("KEY", "URL")
""",
    "({client}).me",
    r"""
require "json"
JSON.parse(ENV.fetch("CODES")).each do |code|
  $stderr.print "\x1e"
  eval(code)
rescue StandardError => error
  $stderr.print error.full_message(highlight: false)
end
""",
)

FORMS = [
    (PYTHON, "Client(key, url)"),
    (PYTHON, "Client(key, base_url=url, timeout=5)"),
    (PYTHON, "Client(base_url=url, api_key=key)"),
    (PYTHON, "Client(key, url + '/api/v1/')"),
    (PYTHON, "Client(key, url).with_options(timeout=5)"),
    (PYTHON, "AsyncClient(key, url)"),
    (PYTHON, "AsyncClient(base_url=url, api_key=key)"),
    (NODE, "new Client(key, url)"),
    (NODE, "new Client(key, url, { timeout: 5 })"),
    (NODE, "new Client({ baseUrl: url, apiKey: key })"),
    (NODE, "new Client(Object.assign(Object.create(null), { baseUrl: url, apiKey: key }))"),
    (NODE, "new Client(key, `${url}/api/v1/`)"),
    (NODE, "new Client(key, url).withOptions({ timeout: 5 })"),
    (NODE, "new required.Client(key, url)"),
    (PHP, "new Client($key, $url)"),
    (PHP, "new Client($key, $url, new Options(timeout: 5))"),
    (PHP, "new Client(baseUrl: $url, apiKey: $key)"),
    (PHP, "new Client($key, baseUrl: $url, options: new Options(timeout: 5))"),
    (PHP, 'new Client($key, "$url/api/v1/")'),
    (PHP, "(new Client($key, $url))->withOptions(timeout: 5)"),
    (RUBY, "Client.new(key, url)"),
    (RUBY, "Client.new(key, base_url: url, timeout: 5)"),
    (RUBY, "Client.new(base_url: url, api_key: key)"),
    (RUBY, 'Client.new(key, "#{url}/api/v1/")'),
    (RUBY, "Client.new(key, url).with_options(timeout: 5)"),
]
# What is given to the client, and a part of the error's message.
REFUSED = [
    # The key without the URL, or the URL without the key.
    (PYTHON, "Client(key)", "Pass base_url together with api_key"),
    (PYTHON, "Client(api_key=key)", "Pass base_url together with api_key"),
    (PYTHON, "AsyncClient(key)", "Pass base_url together with api_key"),
    (PYTHON, "Client(base_url=url)", "Pass api_key together with base_url"),
    (NODE, "new Client(key)", "Pass `baseUrl` together with `apiKey`"),
    (NODE, "new Client({ apiKey: key })", "Pass `baseUrl` together with `apiKey`"),
    (NODE, "new Client({ baseUrl: url })", "Pass `apiKey` together with `baseUrl`"),
    (PHP, "new Client($key)", "Pass baseUrl together with apiKey"),
    (PHP, "new Client(apiKey: $key, options: new Options(timeout: 5))", "Pass baseUrl together with apiKey"),
    (PHP, "new Client(baseUrl: $url)", "Pass apiKey together with baseUrl"),
    (RUBY, "Client.new(key)", "Pass base_url together with api_key"),
    (RUBY, "Client.new(api_key: key, timeout: 5)", "Pass base_url together with api_key"),
    (RUBY, "Client.new(base_url: url)", "Pass api_key together with base_url"),
    # A variable without a value.
    (PYTHON, "Client(os.environ.get('UNSET'))", "api_key must be a string"),
    (NODE, "new Client(process.env.UNSET)", "The options must be an object, not undefined"),
    (PHP, "new Client($_SERVER['UNSET'] ?? null)", "must be of type"),
    (RUBY, "Client.new(ENV['UNSET'])", "api_key must be a String"),
    (PYTHON, "Client(os.environ.get('UNSET'), url)", "api_key must be a string"),
    (PYTHON, "Client(key, os.environ.get('UNSET'))", "base_url must be a string"),
    (PYTHON, "Client(None, None)", "api_key must be a string"),
    (NODE, "new Client(process.env.UNSET, url)", "must be the API key"),
    (NODE, "new Client(key, process.env.UNSET)", "must be the URL"),
    (NODE, "new Client(undefined, undefined)", "must be the API key"),
    (NODE, "new Client({ apiKey: process.env.UNSET, baseUrl: process.env.UNSET })", "`apiKey` must be a string"),
    (PHP, "new Client($_SERVER['UNSET'] ?? null, $url)", "must be of type"),
    (PHP, "new Client($key, getenv('UNSET'))", "must be like"),
    (PHP, "new Client(null, null)", "must be of type"),
    (RUBY, "Client.new(ENV['UNSET'], url)", "api_key must be a String"),
    (RUBY, "Client.new(key, ENV['UNSET'])", "base_url must be a String"),
    (RUBY, "Client.new(api_key: nil, base_url: nil)", "api_key must be a String"),
    # The wrong order.
    (PYTHON, "Client(url, key)", "api_key is a URL. Pass the API key first, then the URL"),
    (PYTHON, "Client('blog.example.org', key)", "base_url is an API key. Pass the API key first, then the URL"),
    (PYTHON, "AsyncClient(api_key=url, base_url=key)", "api_key is a URL"),
    (NODE, "new Client(url, key)", "`apiKey` is a URL. Pass the API key first, then the URL"),
    (NODE, "new Client('blog.example.org', key)", "`baseUrl` is an API key"),
    (NODE, "new Client({ apiKey: url, baseUrl: key })", "`apiKey` is a URL"),
    (PHP, "new Client($url, $key)", "apiKey is a URL. Pass the API key first, then the URL"),
    (PHP, "new Client('blog.example.org', $key)", "baseUrl is an API key"),
    (PHP, "new Client(baseUrl: $key, apiKey: $url)", "apiKey is a URL"),
    (RUBY, "Client.new(url, key)", "api_key is a URL. Pass the API key first, then the URL"),
    (RUBY, "Client.new('blog.example.org', key)", "base_url is an API key"),
    (RUBY, "Client.new(base_url: key, api_key: url)", "api_key is a URL"),
    # The key inside of the URL.
    (PYTHON, "Client(key, url.replace('//', f'//{key}@'))", "user name"),
    (PYTHON, "Client(key, f'{url}/?key={key}')", "query"),
    (PYTHON, "Client(key, f'https://{key}:{key}')", "base_url is not a valid URL"),
    (NODE, "new Client(key, `${url}/?key=${key}`)", "query"),
    (PHP, 'new Client($key, "$url/?key=$key")', "must be like"),
    (RUBY, 'Client.new(key, "#{url}/?key=#{key}")', "query"),
    (RUBY, 'Client.new(key, "https://#{key}:#{key}")', "base_url is not a valid URL"),
    # The key as a host, whose case a URL does not keep.
    (PYTHON, "Client(key, f'http://{key}')", "base_url uses plain HTTP"),
    (NODE, "new Client(key, `http://${key}`)", "`baseUrl` uses plain HTTP"),
    (PHP, 'new Client($key, "http://$key")', "The URL uses plain HTTP"),
    (RUBY, 'Client.new(key, "http://#{key}")', "base_url uses plain HTTP"),
    # A space in the key, and a line break at its end.
    (PYTHON, "Client(f'{key} {key}', url)", "The API key is empty or contains an invalid character"),
    (PYTHON, "Client(key + '\\n', url)", "The API key is empty or contains an invalid character"),
    (NODE, "new Client(`${key} ${key}`, url)", "The API key is empty or contains an invalid character"),
    (NODE, "new Client(`${key}\\n`, url)", "The API key is empty or contains an invalid character"),
    (PHP, 'new Client("$key $key", $url)', "The API key is empty or contains an invalid character"),
    (PHP, 'new Client("$key\\n", $url)', "The API key is empty or contains an invalid character"),
    (RUBY, 'Client.new("#{key} #{key}", url)', "The API key is empty or contains an invalid character"),
    (RUBY, 'Client.new("#{key}\\n", url)', "The API key is empty or contains an invalid character"),
    # Other names and other types.
    (PYTHON, "Client(key=key, url=url)", "unexpected keyword argument"),
    (PYTHON, "Client({'api_key': key, 'base_url': url})", "api_key must be a string"),
    (PYTHON, "Client(key, url, 5)", "positional arguments"),
    (PYTHON, "Client(key, url).with_options(base_url=os.environ['BLOGSVC_URL'])", "unexpected keyword argument"),
    (NODE, "new Client({ apikey: key, baseURL: url })", "There is no option `apikey`"),
    (NODE, "new Client({ apiKey: key, baseURL: url })", "There is no option `baseURL`"),
    (NODE, "new Client([key, url])", "must be an object"),
    (NODE, "new Client(() => ({ apiKey: key, baseUrl: url }))", "must be an object"),
    (NODE, "new Client(new Map([['apiKey', key], ['baseUrl', url]]))", "must be a plain object"),
    (NODE, "new Client(Object.create({ apiKey: key, baseUrl: url }))", "must be a plain object"),
    (NODE, "new Client(new URL(url), key)", "must be the API key"),
    (NODE, "new Client({ apiKey: key }, url)", "must be the API key"),
    (NODE, "new Client(key, url).withOptions({ baseUrl: process.env.BLOGSVC_URL })", "Create a new client"),
    (NODE, "new Client(key, url).withOptions({ apiKey: process.env.BLOGSVC_API_KEY })", "Create a new client"),
    (PHP, "new Client(['apiKey' => $key, 'baseUrl' => $url])", "must be of type"),
    (PHP, "new Client(key: $key, url: $url)", "Unknown named parameter"),
    (PHP, "new Client($key, $url, ['timeout' => 5])", "must be of type"),
    (RUBY, "Client.new(key: key, url: url)", "unknown keyword"),
    (RUBY, "Client.new({ api_key: key, base_url: url })", "api_key must be a String"),
    (RUBY, "Client.new(key, url, 5)", "at most"),
    (RUBY, "Client.new(key, url, api_key: key)", "Pass api_key once"),
    (RUBY, "Client.new(key, url).with_options(base_url: ENV['BLOGSVC_URL'])", "Create a new client"),
    (RUBY, "Client.new(key, url).with_options(api_key: ENV['BLOGSVC_API_KEY'])", "Create a new client"),
]
NOTHING_GIVEN = [
    (PYTHON, "Client()"),
    (PYTHON, "Client(timeout=5)"),
    (PYTHON, "AsyncClient()"),
    (NODE, "new Client()"),
    (NODE, "new Client({ timeout: 5 })"),
    (PHP, "new Client()"),
    (PHP, "new Client(options: new Options(timeout: 5))"),
    (RUBY, "Client.new"),
    (RUBY, "Client.new(timeout: 5)"),
]
CLIENT = {PYTHON: "Client()", NODE: "new Client()", PHP: "new Client()", RUBY: "Client.new"}
LANGUAGES = pytest.mark.parametrize("language", CLIENT, ids=lambda language: language.name)
# How to read an event of a stream, whose requests have a code path of their own.
STREAM = {
    PYTHON: "next(iter(Client(key, url).events.stream()))",
    NODE: "for await (const event of new Client(key, url).events.stream()) break;",
    PHP: "foreach ((new Client($key, $url))->events->stream() as $event) { break; }",
    RUBY: "Client.new(key, url).events.stream.first",
}
# A client for each HTTP library.
OUR_HTTP_LIBRARIES = [
    pytest.param(PYTHON, "Client(key, url)", id="httpx2"),
    pytest.param(PYTHON, "AsyncClient(key, url)", id="httpx2 with asyncio"),
    pytest.param(NODE, "new Client(key, url)", id="fetch"),
    pytest.param(PHP, "new Client($key, $url)", id="curl"),
    pytest.param(RUBY, "Client.new(key, url)", id="net/http"),
]
GUZZLE = Path("/usr/share/php/GuzzleHttp/autoload.php")
HTTP_LIBRARIES = [
    *OUR_HTTP_LIBRARIES,
    pytest.param(  # a client that the caller chooses, and that follows redirects by default
        PHP,
        f"""(require '{GUZZLE}') ? new Client($key, $url, new Options(
            httpClient: new GuzzleHttp\\Client(),
            requestFactory: new GuzzleHttp\\Psr7\\HttpFactory(),
        )) : null""",
        id="guzzle",
        marks=pytest.mark.skipif(not GUZZLE.exists(), reason="GUZZLE IS NOT INSTALLED"),
    ),
]
REDIRECTS = ("301", "302", "303", "307", "308")


@pytest.fixture
def given() -> Iterator[Receiver]:
    """The server whose key and URL the program gives to the client."""
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def other() -> Iterator[Receiver]:
    """The server that must not get a request, unless nothing is given."""
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def environ(given: Receiver, other: Receiver) -> dict[str, str]:
    return {"KEY": KEY, "URL": url(given), "BLOGSVC_API_KEY": OTHER_KEY, "BLOGSVC_URL": url(other)}


def url(receiver: Receiver) -> str:
    return f"http://127.0.0.1:{receiver.port}"


def keys(receiver: Receiver) -> list[str | None]:
    """Return the value of the header Authorization of each request."""
    return [request.headers["Authorization"] for request in receiver.requests]


def only(cases: list[tuple[Language, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("language", "client"), cases, ids=[f"{one.name}: {code}" for one, code in cases])


@only(FORMS)
def test_the_given_key_reaches_only_the_given_server(
    language: Language, client: str, environ: dict[str, str], given: Receiver, other: Receiver
) -> None:
    result = language.run(client, environ)
    assert (result.returncode, result.stderr) == (0, "")
    assert keys(given) == [f"Bearer {KEY}"]
    assert other.connections == 0


@LANGUAGES
def test_what_is_not_both_a_key_and_its_url_is_refused_without_showing_the_key(
    language: Language, environ: dict[str, str], given: Receiver, other: Receiver
) -> None:
    messages = {client: message for one, client, message in REFUSED if one is language}
    errors = dict(zip(messages, language.errors(list(messages), environ), strict=True))
    assert {client: error for client, error in errors.items() if messages[client] not in error} == {}
    # A URL has its host in lower case.
    shown = {
        client for client, error in errors.items() if any(key.lower() in error.lower() for key in (KEY, OTHER_KEY))
    }
    assert shown == set()
    assert (given.connections, other.connections) == (0, 0)


@only(NOTHING_GIVEN)
def test_the_environment_is_used_if_nothing_is_given(
    language: Language, client: str, environ: dict[str, str], given: Receiver, other: Receiver
) -> None:
    result = language.run(client, environ | {"BLOGSVC_API_KEY": f" {OTHER_KEY}\n"})
    assert (result.returncode, result.stderr) == (0, "")
    assert keys(other) == [f"Bearer {OTHER_KEY}"]
    assert given.connections == 0


@pytest.mark.parametrize("value", [None, " "])
@pytest.mark.parametrize("variable", ["BLOGSVC_API_KEY", "BLOGSVC_URL"])
@LANGUAGES
def test_an_environment_with_one_variable_is_refused_and_the_message_names_the_other(
    language: Language, variable: str, value: str | None, environ: dict[str, str], other: Receiver
) -> None:
    del environ[variable]
    result = language.run(CLIENT[language], environ if value is None else environ | {variable: value})
    set_one = ({"BLOGSVC_API_KEY", "BLOGSVC_URL"} - {variable}).pop()
    assert f"{set_one} is set, but {variable} is not" in result.stderr
    assert OTHER_KEY not in result.stdout + result.stderr
    assert other.connections == 0


@LANGUAGES
def test_a_client_without_anything_says_how_to_give_a_key_and_a_url(language: Language) -> None:
    result = language.run(CLIENT[language], {"KEY": "", "URL": ""})
    assert "or set BLOGSVC_API_KEY and BLOGSVC_URL" in result.stderr


@pytest.mark.parametrize(("language", "client"), HTTP_LIBRARIES)
def test_a_redirect_takes_no_key_to_another_server(
    language: Language, client: str, environ: dict[str, str], given: Receiver, other: Receiver
) -> None:
    given.headers["Location"] = f"{url(other)}/api/v1/me"
    given.will(*REDIRECTS)
    for status, error in zip(REDIRECTS, language.errors([client] * len(REDIRECTS), environ), strict=True):
        assert f"({status}" in error
        assert KEY not in error
    assert keys(given) == [f"Bearer {KEY}"] * len(REDIRECTS)
    assert other.connections == 0


@LANGUAGES
def test_a_redirected_stream_takes_no_key_to_another_server(
    language: Language, environ: dict[str, str], given: Receiver, other: Receiver
) -> None:
    given.headers["Location"] = f"{url(other)}/api/v1/events/stream"
    given.will("307")
    result = language.run_code(STREAM[language], environ)
    assert "(307" in result.stderr
    assert keys(given) == [f"Bearer {KEY}"]
    assert other.connections == 0


@pytest.mark.parametrize(("language", "client"), [one for one in OUR_HTTP_LIBRARIES if one.id != "fetch"])
def test_a_proxy_of_the_environment_gets_no_request_to_this_machine(
    language: Language, client: str, environ: dict[str, str], given: Receiver, other: Receiver
) -> None:
    # The fetch of Node.js 20 uses no proxy of the environment at all.
    proxies = {name: url(other) for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")}
    result = language.run(client, environ | proxies | {"no_proxy": "", "NO_PROXY": ""})
    assert (result.returncode, result.stderr) == (0, "")
    assert keys(given) == [f"Bearer {KEY}"]
    assert other.connections == 0
