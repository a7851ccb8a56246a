#!/bin/sh
# Starts a container's command with the variables of an Envkeep environment. If they cannot be read, it does not start.
# Needs sh and curl. Set ENVKEEP_URL, and ENVKEEP_KEY_FILE (a Docker secret) or ENVKEEP_KEY.
#   ENTRYPOINT ["/usr/local/bin/entrypoint.sh"]
#   CMD ["node", "server.js"]
set -eu

if [ -n "${ENVKEEP_KEY_FILE:-}" ]; then
  ENVKEEP_KEY=$(cat "$ENVKEEP_KEY_FILE")
fi

# The key goes in by standard input: arguments are visible to every process of the machine. The variables come back by
# descriptor 3, the headers and the status by standard output. A redirect is no failure to curl, so the status must be 200.
variables=$(
  exec 3>&1
  answer=$(
    printf 'Authorization: Bearer %s\n' "${ENVKEEP_KEY:?is not set, and neither is ENVKEEP_KEY_FILE}" |
      curl --fail --silent --show-error --connect-timeout 5 --max-time 20 --retry 2 --header @- \
        --output /dev/fd/3 --dump-header - --suppress-connect-headers --write-out '%{http_code}' \
        "${ENVKEEP_URL:?is not set}/api/v1/variables?format=shell"
  ) || exit 1
  status=${answer##*[!0-9]}
  damaged=${answer#*[Ee]nvkeep-[Dd]amaged:}
  # From 8.14 on, curl that tries again after a stall writes the whole answer behind the part that it has written.
  case $answer in
  (*HTTP/1.[01]' 200'*[[:cntrl:]]HTTP/* | *HTTP/[23]' 200'*[[:cntrl:]]HTTP/*)
    echo "envkeep: the answer of the server was interrupted" >&2
    exit 1
    ;;
  esac
  if [ "$status" != 200 ]; then
    echo "envkeep: the server answered with status $status: is ENVKEEP_URL its own address?" >&2
    exit 1
  elif [ "$damaged" != "$answer" ]; then
    echo "envkeep: values are damaged on the server:${damaged%%[[:cntrl:]]*}" >&2
    exit 1
  fi
)
unset ENVKEEP_KEY ENVKEEP_KEY_FILE
eval "$variables"
unset variables
exec "$@"
