"""`blogsvc redirects`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.test_cli import rows


def test_redirects_are_added_listed_and_removed(run: Run) -> None:
    assert run("redirects", "add", "/old/", "/about").stdout == "/old leads to /about.\n"
    assert run("redirects", "add", "/mistake", "--status", "410").stdout == "/mistake is gone.\n"
    listed = rows(run("redirects", "list", "--json"))
    assert [(row["path"], row["target"], row["status"]) for row in listed] == [
        ("/mistake", None, 410),
        ("/old", "/about", 301),
    ]
    assert rows(run("redirects", "list", "--search", "mist", "--json"))[0]["path"] == "/mistake"

    assert "is removed" in run("redirects", "remove", "/old/").stdout
    assert "There is no redirect of /old" in run("redirects", "remove", "/old", code=1).stderr


def test_a_redirect_that_is_not_used_is_still_added_and_says_so(run: Run) -> None:
    added = run("redirects", "add", "/archive", "/about")
    assert "so this redirect is not used" in added.stderr


def test_a_redirect_to_a_path_without_a_page_says_so(run: Run) -> None:
    assert run("redirects", "add", "/old", "/about").stderr == "There is no page at /about yet.\n"
    assert run("redirects", "add", "/older", "/archive").stderr == ""


def test_redirects_are_read_from_and_written_to_csv_files(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "redirects.csv"
    file.write_text("/a,/b\n/c,https://other.example/,302\n")
    assert run("redirects", "import", str(file)).stdout == "2 added, 0 changed, 0 unchanged.\n"
    run("redirects", "export", str(file))
    assert run("redirects", "import", str(file)).stdout == "0 added, 0 changed, 2 unchanged.\n"

    file.write_text("/x,/y\n/a,\n")
    assert "Line 2: Enter a path" in run("redirects", "import", str(file), code=1).stderr
    assert len(rows(run("redirects", "list", "--json"))) == 2
