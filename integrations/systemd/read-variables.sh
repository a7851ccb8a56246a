#!/bin/sh
# Writes the variables of an Envkeep environment to $RUNTIME_DIRECTORY/app.env, for EnvironmentFile= of a systemd unit.
# The file is replaced whole or not at all, and only its owner can read it. app-variables.service runs this.
set -eu
umask 077

file=${RUNTIME_DIRECTORY:?is not set}/app.env
trap 'rm -f "$file.new"' EXIT
# Standard output has the headers and the status. A redirect is no failure to curl, so the status must be 200.
answer=$(
  printf 'Authorization: Bearer %s\n' "$(cat "${CREDENTIALS_DIRECTORY:?is not set}/envkeep-key")" |
    curl --fail --silent --show-error --connect-timeout 5 --max-time 20 --retry 2 --header @- \
      --output "$file.new" --dump-header - --write-out '%{http_code}' \
      "${ENVKEEP_URL:?is not set}/api/v1/variables?format=systemd"
)
status=${answer##*[!0-9]}
damaged=${answer#*[Ee]nvkeep-[Dd]amaged:}
if [ "$status" != 200 ]; then
  echo "envkeep: the server answered with status $status: is ENVKEEP_URL its own address?" >&2
  exit 1
elif [ "$damaged" != "$answer" ]; then
  echo "envkeep: values are damaged on the server:${damaged%%[[:cntrl:]]*}" >&2
  exit 1
fi
mv "$file.new" "$file"
