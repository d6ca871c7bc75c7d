#!/usr/bin/env bash
# Waits for a device link, and prints its cloud token.
set -u
links=$MOCKMAKER_URL/cloud/devices/links
index='' failures=0 fast=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM

# Sleeps for 0.25 s, 0.5 s, 1 s, 2 s, 4 s, 4 s …
pause() {
  local n=$1
  [ "$n" -le 4 ] || n=4
  sleep "$(awk "BEGIN { print 0.25 * 2 ^ $n }")"
}

while :; do
  began=$(date +%s%N)
  status=$(curl -s -G -m 60 -o "$work/body" -D "$work/head" -w '%{http_code}' \
    -d "device_link_token=$MOCKMAKER_LINK_TOKEN" ${index:+-d "watch_index=$index"} "$links")
  failed=$?
  body=$(tr -d '\0' <"$work/body" 2>/dev/null)
  if [ "$failed" -eq 0 ] && [ "$status" = 200 ]; then
    failures=0
    token=$(sed -nE 's/.*"cloud_token":"([^"]+)".*/\1/p' <<<"$body")
    if [ -n "$token" ]; then
      echo "$token"
      exit 0
    fi
    index=$(sed -nE 's/.*"index":"([0-9]*)".*/\1/p' <<<"$body")
    # An answer at once: ask more slowly.
    if [ $((($(date +%s%N) - began) / 1000000)) -lt 400 ]; then fast=$((fast + 1)); elif [ "$fast" -gt 0 ]; then fast=$((fast - 1)); fi
    [ "$fast" -lt 2 ] || pause $((fast - 2))
  elif [ "$failed" -eq 0 ] && [[ $status == 4* ]] && [ "$status" != 429 ]; then
    echo "the service refused the link: $body" >&2
    exit 1
  else
    after=$(sed -nE 's/^retry-after: ([0-9]+).*/\1/Ip' "$work/head" 2>/dev/null)
    if [ "$failed" -eq 0 ] && [ -n "$after" ]; then sleep "$after"; else pause $failures; fi
    failures=$((failures + 1))
  fi
done
