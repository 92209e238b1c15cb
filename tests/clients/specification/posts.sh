#!/bin/bash
# All operations of the specification with curl. It needs KEY, BASE and PLATFORM.
set -euo pipefail

call() { # METHOD PATH [BODY]
  curl --silent --show-error --fail-with-body --request "$1" "$BASE/api/v1$2" \
    --header "Authorization: Bearer $KEY" --header "Content-Type: application/json" ${3:+--data "$3"}
}
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
parsed() { python3 -c 'import json, sys; json.load(sys.stdin); print(sys.argv[1])' "$1"; }

at=$(date --utc --date "+1 hour" +%Y-%m-%dT%H:%M:%SZ)
post="{\"title\": \"Hello\", \"content\": \"From curl.\", \"platforms\": [\"$PLATFORM\"], \"scheduledAt\": \"$at\"}"
id=$(call POST /posts "$post" | field id)
echo "created"
call GET /posts | parsed "listed"
call PUT "/posts/$id" '{"title": "Hello again"}' | parsed "updated"
call POST "/posts/$id/publish" | parsed "published"
call GET /analytics | parsed "measured"
call DELETE "/posts/$id" | parsed "deleted"
