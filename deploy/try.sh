#!/usr/bin/env bash
# Tries the containers for real: makes the images, brings up deploy/compose.yaml, uses it as a customer does, kills each container in turn,
# holds the ledger against the answers, and takes everything down again. Needs root, apt and npm. Images are pulled from nowhere: for those that the
# Dockerfile and the compose file name, and that are not there already, stand-ins are made from Debian's packages and npm's.
#   deploy/try.sh                       five to twelve minutes, part of .ci/run
#   deploy/try.sh bench --kills 1000    kills at random under load instead (npm run bench:containers)
# Ends with 77 when Docker cannot be had here, and says why. SIANN_MODEL chooses the model (tiny).
set -euo pipefail
# In braces it is read whole before it begins, so that an edit meanwhile does no harm.
{
cd "$(dirname "$0")/.."
root=$PWD
mode=${1:-try}
[ $# -eq 0 ] || shift
export SIANN_MODEL=${SIANN_MODEL:-tiny} SIANN_PORT=${SIANN_TRY_PORT:-18443} SIANN_TEST_PORT=${SIANN_TRY_TEST_PORT:-18444}
export DOCKER_BUILDKIT=0 COMPOSE_PROJECT_NAME=siann-try SIANN_VERSION=try

say() { printf -- '-- %3d s: %s\n' "$SECONDS" "$*"; }
skip() {
  printf '\n*** NOT TRIED: THE CONTAINERS. %s\n\n' "$*" >&2
  exit 77
}

[ "$(uname -s)" = Linux ] || skip 'They need Linux.'
[ "$(id -u)" = 0 ] || skip 'Docker is started by root. Run deploy/try.sh as root.'

work=$(mktemp -d "${TMPDIR:-/var/tmp}/siann-try.XXXXXX")
daemon=
finish() {
  local status=$?
  trap - EXIT
  if [ -n "${compose:-}" ]; then
    if [ "$status" != 0 ] && [ "$status" != 77 ]; then { $compose ps; $compose logs --no-color | grep -E '"level":(50|60)|FATAL|PANIC' | tail -n 60; } >&2 || true; fi
    $compose down --volumes --timeout 5 >/dev/null 2>&1 || true
  fi
  if [ -n "$daemon" ]; then
    kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null || true
    # What the daemon mounted, if it did not end in good order.
    awk -v work="$work/" 'index($2, work) == 1 { print $2 }' /proc/mounts | sort --reverse | xargs --no-run-if-empty umount --lazy || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Programs, from Debian.
missing=()
for program in dockerd:docker.io docker-compose:docker-compose debootstrap:debootstrap openssl:openssl; do
  command -v "${program%%:*}" >/dev/null || missing+=("${program#*:}")
done
if docker compose version >/dev/null 2>&1; then missing=("${missing[@]/docker-compose/}"); fi
read -r -a missing <<<"${missing[*]}" || true
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || skip "Install ${missing[*]}: there is no apt-get to do it here."
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  install=(apt-get install --yes --quiet --no-install-recommends "${missing[@]}")
  { "${install[@]}" || { apt-get update --quiet && "${install[@]}"; }; } >"$work/apt.log" 2>&1 ||
    skip "apt-get could not install ${missing[*]}: $(tail -n 1 "$work/apt.log")"
fi

# A daemon of our own, unless one runs already.
if ! docker info >/dev/null 2>&1; then
  say 'starting dockerd'
  export DOCKER_HOST=unix://$work/docker.sock
  dockerd --host "$DOCKER_HOST" --data-root "$work/docker" --exec-root "$work/exec" --pidfile "$work/docker.pid" --bridge none \
    >"$work/dockerd.log" 2>&1 &
  daemon=$!
  for _ in $(seq 60); do
    docker info >/dev/null 2>&1 && break
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.5
  done
  docker info >/dev/null 2>&1 || skip "dockerd does not start here: $(tail -n 1 "$work/dockerd.log")"
fi

is_there() { docker image inspect "$1" >/dev/null 2>&1; }
build() { docker build --quiet --network host "$@" >/dev/null; }
image_of() { awk -v service="  $1:" '$0 == service { found = 1 } found && $1 == "image:" { print $2; exit }' deploy/compose.yaml; }
node_image=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
node_version=$(sed -E 's/^node:([0-9.]+)-.*/\1/' <<<"$node_image")

# The image itself where it is there, and otherwise its stand-in.
chosen() { if is_there "$1"; then echo "$1"; else echo "$2"; fi; }

make_debian() {
  is_there siann-try/debian && return
  say 'making a base image with debootstrap'
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/debian" http://deb.debian.org/debian >"$work/debootstrap.log" 2>&1 ||
    skip "debootstrap could not fetch Debian: $(tail -n 1 "$work/debootstrap.log")"
  # Whom this machine trusts, the image trusts while it is built.
  cp /etc/ssl/certs/ca-certificates.crt "$work/debian/etc/ssl/certs/ca-certificates.crt"
  rm -rf "$work"/debian/var/cache/apt/archives/*.deb "$work"/debian/var/lib/apt/lists/* "$work"/debian/usr/share/{doc,man,locale}
  tar --directory "$work/debian" --create . | docker import - siann-try/debian >/dev/null
  rm -rf "$work/debian"
  { docker run --rm --network none siann-try/debian true && docker network create siann-try-check && docker network rm siann-try-check; } \
    >"$work/check.log" 2>&1 || skip "Containers or their networks cannot be made here: $(tail -n 1 "$work/check.log")"
}

# Node.js and npm, from npm's packages.
make_node() {
  is_there siann-try/node && return
  say "making a stand-in for $node_image"
  local package
  package=node-linux-$(node --print process.arch)
  mkdir -p "$work/node"
  npm install --prefix "$work/node" --no-save --ignore-scripts --no-audit --loglevel=error "$package@$node_version" npm@11 >/dev/null
  mv "$work/node/node_modules/$package/bin/node" "$work/node/node"
  mv "$work/node/node_modules/npm" "$work/node/npm"
  printf 'registry=%s\ncafile=/etc/ssl/certs/ca-certificates.crt\n' "$(npm config get registry)" >"$work/node/npmrc"
  cat >"$work/node/Dockerfile" <<'END'
FROM siann-try/debian
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
COPY npmrc /usr/local/etc/npmrc
END
  build --tag siann-try/node "$work/node"
  rm -rf "$work/node"
}

# PostgreSQL, Redis and nginx of Debian, with as much of the published images' manners as the compose file relies on.
make_servers() {
  is_there siann-try/postgres && return
  say 'making stand-ins for PostgreSQL, Redis and nginx'
  mkdir -p "$work/servers"
  cat >"$work/servers/postgres.sh" <<'END'
#!/bin/sh
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb $POSTGRES_INITDB_ARGS --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --pgdata="$PGDATA"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options='-c listen_addresses=' start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait stop
fi
exec postgres -c listen_addresses='*'
END
  chmod +x "$work/servers/postgres.sh"
  cat >"$work/servers/Dockerfile" <<'END'
FROM siann-try/debian
RUN apt-get update --quiet && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends \
      postgresql-15 redis-server nginx-light \
    && rm -rf /var/lib/apt/lists/* /var/lib/postgresql \
    && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data && install -d -o postgres -g postgres -m 3777 /run/postgresql
ENV PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin PGDATA=/var/lib/postgresql/data
END
  build --tag siann-try/servers "$work/servers"
  printf 'FROM siann-try/servers\nCOPY postgres.sh /postgres.sh\nSTOPSIGNAL SIGINT\nENTRYPOINT ["/postgres.sh"]\n' >"$work/servers/Dockerfile.postgres"
  build --tag siann-try/postgres --file "$work/servers/Dockerfile.postgres" "$work/servers"
}

if ! is_there "$node_image"; then
  make_debian
  make_node
fi
for service in postgres redis balancer; do
  is_there "$(image_of $service)" && continue
  make_debian
  make_servers
  break
done
node_image=$(chosen "$node_image" siann-try/node)

say "building Siann's image, model $SIANN_MODEL"
docker build --network host --build-arg "NODE_IMAGE=$node_image" --build-arg "SIANN_MODEL=$SIANN_MODEL" --tag siann:try . >"$work/build.log" 2>&1 || {
  tail -n 40 "$work/build.log" >&2
  exit 1
}
say 'checking the image'
deploy/image/check.sh siann:try "$node_image"

# A copy, so that secrets of a real installation stay as they are.
mkdir "$work/deploy"
cp deploy/balancer*.conf deploy/redis-users.conf deploy/make-secrets.sh "$work/deploy"
# Debian's Compose does not know the name.
sed -e '/^name:/d' \
  -e "s#image: $(image_of postgres)\$#image: $(chosen "$(image_of postgres)" siann-try/postgres)#" \
  -e "s#image: $(image_of redis)\$#image: $(chosen "$(image_of redis)" siann-try/servers)#" \
  -e "s#image: $(image_of balancer)\$#image: $(chosen "$(image_of balancer)" siann-try/servers)#" \
  deploy/compose.yaml >"$work/deploy/compose.yaml"
"$work/deploy/make-secrets.sh"
# For whoever looks afterwards whether something was left behind; Siann's own users may not list keys.
observer=$(head -c 24 /dev/urandom | base64 | tr -dc 'A-Za-z0-9')
printf 'user observer on >%s ~* &* +@all\n' "$observer" >>"$work/deploy/secrets/redis.conf"
if docker compose version >/dev/null 2>&1; then compose='docker compose'; else compose='docker-compose'; fi
compose="$compose --file $work/deploy/compose.yaml"

say 'bringing it up'
$compose up --detach --scale api=2 --scale worker=2 >"$work/up.log" 2>&1 || {
  cat "$work/up.log" >&2
  exit 1
}
export SIANN_BENCH_COMPOSE=$work/deploy SIANN_BENCH_OBSERVER=$observer
if [ "$mode" = bench ]; then
  node --import tsx "$root/bench/containers.ts" --only kills "$@"
else
  node --import tsx "$root/bench/containers.ts" --only each --no-figures "$@"
fi
say 'taking it down'
exit
}
