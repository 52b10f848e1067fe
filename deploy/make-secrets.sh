#!/bin/sh
# Makes up what deploy/compose.yaml must keep to itself, once; what is there is left alone: passwords, and a certificate for the names that
# clients use. make-secrets.sh [FOLDER [NAME…]]
set -eu
here=$(dirname "$0")
folder=${1:-$here/secrets}
[ $# -eq 0 ] || shift

password() {
  LC_ALL=C tr -dc 'A-Za-z0-9' </dev/urandom | head -c 40
}

mkdir -p "$folder"
# Containers read these files as users of their own; on this machine the folder keeps everybody else out.
chmod 700 "$folder"
umask 022

if [ ! -e "$folder/api.env" ]; then
  postgres=$(password)
  api=$(password)
  worker=$(password)
  printf '%s' "$postgres" >"$folder/postgres-password"
  sed -e "s/API_PASSWORD/$api/" -e "s/WORKER_PASSWORD/$worker/" "$here/redis-users.conf" >"$folder/redis.conf"
  printf 'SIANN_REDIS_URL=redis://worker:%s@redis:6379\n' "$worker" >"$folder/worker.env"
  # Last: with it the set is complete.
  {
    printf 'SIANN_REDIS_URL=redis://api:%s@redis:6379\n' "$api"
    printf 'SIANN_DATABASE_URL=postgres://siann:%s@postgres/siann\n' "$postgres"
    printf 'SIANN_SECRET=%s\n' "$(password)"
  } >"$folder/api.env"
fi

# It vouches for itself and can make no others: clients that trust it trust this service and nobody else.
if [ ! -e "$folder/tls.pem" ]; then
  names=DNS:localhost,IP:127.0.0.1,DNS:$(hostname)
  for name; do names=$names,DNS:$name; done
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 825 -subj '/CN=Siann' \
    -addext "subjectAltName=$names" -addext 'basicConstraints=critical,CA:FALSE' -addext 'extendedKeyUsage=serverAuth' \
    -keyout "$folder/tls-key.pem" -out "$folder/tls.pem" 2>/dev/null
  chmod 644 "$folder/tls-key.pem"
fi
