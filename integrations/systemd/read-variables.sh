#!/bin/sh
# Writes the variables of an Envkeep environment to $RUNTIME_DIRECTORY/app.env, for EnvironmentFile= of a systemd unit.
# The file is replaced whole or not at all, and only its owner can read it. app-variables.service runs this.
set -eu
umask 077

file=${RUNTIME_DIRECTORY:?is not set}/app.env
trap 'rm -f "$file.new"' EXIT
printf 'Authorization: Bearer %s\n' "$(cat "${CREDENTIALS_DIRECTORY:?is not set}/envkeep-key")" |
  curl --fail --silent --show-error --connect-timeout 5 --max-time 20 --retry 2 --header @- \
    --output "$file.new" "${ENVKEEP_URL:?is not set}/api/v1/variables?format=systemd"
mv "$file.new" "$file"
