#!/bin/sh
# Starts a container's command with the variables of an Envkeep environment. If they cannot be read, it does not start.
# Needs sh and curl. Set ENVKEEP_URL, and ENVKEEP_KEY_FILE (a Docker secret) or ENVKEEP_KEY.
#   ENTRYPOINT ["/usr/local/bin/entrypoint.sh"]
#   CMD ["node", "server.js"]
set -eu

if [ -n "${ENVKEEP_KEY_FILE:-}" ]; then
  ENVKEEP_KEY=$(cat "$ENVKEEP_KEY_FILE")
fi

# The key goes in by standard input: arguments are visible to every process of the machine.
variables=$(
  printf 'Authorization: Bearer %s\n' "${ENVKEEP_KEY:?is not set, and neither is ENVKEEP_KEY_FILE}" |
    curl --fail --silent --show-error --connect-timeout 5 --max-time 20 --retry 2 --header @- \
      "${ENVKEEP_URL:?is not set}/api/v1/variables?format=shell"
)
unset ENVKEEP_KEY ENVKEEP_KEY_FILE
eval "$variables"
unset variables
exec "$@"
