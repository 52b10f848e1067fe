#!/bin/sh
# Makes up passwords for deploy/compose.yaml, once; what is there is left alone. make-secrets.sh [FOLDER]
set -eu
folder=${1:-$(dirname "$0")/secrets}
[ -e "$folder/api.env" ] && exit 0

password() {
  LC_ALL=C tr -dc 'A-Za-z0-9' </dev/urandom | head -c 40
}

mkdir -p "$folder"
# Containers read these files as users of their own; on this machine the folder keeps everybody else out.
chmod 700 "$folder"
umask 022
postgres=$(password)
redis=$(password)
printf '%s' "$postgres" >"$folder/postgres-password"
printf 'requirepass %s\n' "$redis" >"$folder/redis.conf"
printf 'SIANN_REDIS_URL=redis://default:%s@redis:6379\n' "$redis" >"$folder/worker.env"
# Last: with it the set is complete.
{
  cat "$folder/worker.env"
  printf 'SIANN_DATABASE_URL=postgres://siann:%s@postgres/siann\n' "$postgres"
} >"$folder/api.env"
