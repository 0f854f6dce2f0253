#!/bin/sh
# Creates, changes, runs and deletes an endpoint with curl. Needs a running demo: npm start
# Usage: sh examples/calls.sh [folder of demo.json]
set -eu
file="${1:-./.data}/demo.json"
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$file"; }
key=$(value api_key)
base="$(value url)/api/projects/$(value project_id)/endpoints"

call() {
  printf '\n# %s %s\n' "$1" "$2"
  method=$1 path=$2
  shift 2
  curl --silent --show-error --fail-with-body --globoff --request "$method" "$base$path" \
    --header "Authorization: Bearer $key" --header 'Content-Type: application/json' "$@"
  echo
}

# Run a saved endpoint, with a query string and then with a body. The second response comes from the cache.
call GET '/airport_delays/run?variables[origin]=SFO&limit=3'
call POST /airport_delays/run --data '{"variables": {"origin": "SFO"}, "limit": 3}'

# Save a query under a name, change it, list its versions and read its OpenAPI document.
call POST '' --data '{
  "name": "late_flights",
  "description": "How many flights were late by more than so many minutes.",
  "query": {
    "kind": "SQLQuery",
    "query": "SELECT count() AS flights FROM flights WHERE delay > {minutes:UInt16}",
    "variables": {"minutes": {"value": 60}}
  }
}'
call GET '/late_flights/run?variables[minutes]=120'
call PATCH /late_flights --data '{
  "query": "SELECT origin, count() AS flights FROM flights WHERE delay > {minutes:UInt16} GROUP BY origin ORDER BY flights DESC LIMIT 5"
}'
call POST /late_flights/run --data '{"variables": {"minutes": 120}}'
call GET /late_flights/versions
call GET /late_flights/openapi.json
call DELETE /late_flights
