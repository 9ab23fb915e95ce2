#!/bin/sh
# From nothing to three replicas behind haproxy, on one machine, with a database and
# a holder of their own. Everything lies in FOLDER, and ends with this script.
#
#   ISSUER=https://login.example.com up.sh FOLDER
#
# RESOURCE is how clients know the gateway, PORT the balancer's port (8080; the
# replicas have the three after it, and the holder the next one). FOLDER may hold
# winnow.json, team.cedar and team.json already; else samples are put there.
# It needs winnowteam, haproxy, openssl and Debian's postgresql.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: up.sh FOLDER}"
dir=$(cd "$1" && pwd)
: "${ISSUER:?the address of the OpenID provider whose tokens are taken}"
PORT=${PORT:-8080}
RESOURCE=${RESOURCE:-http://127.0.0.1:$PORT/mcp}
PATH=$PATH:/usr/sbin:$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)

# PostgreSQL refuses to run as root.
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

pids=
end() {
  trap - EXIT INT TERM
  [ -z "$pids" ] || kill $pids 2>/dev/null || true
  wait
  as pg_ctl -D "$dir/db" -m fast -w stop >/dev/null 2>&1 || true
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ ! -d "$dir/db" ]; then
  mkdir "$dir/db"
  [ "$(id -u)" != 0 ] || chown postgres "$dir/db"
  as initdb -D "$dir/db" -U postgres --auth=trust -E UTF8 >/dev/null
fi
as pg_ctl -D "$dir/db" -w -l "$dir/db/log" -o "-k '$dir/db' -c listen_addresses=''" start >/dev/null
export WINNOWTEAM_DATABASE="postgres://postgres@/postgres?host=$dir/db"

export WINNOWTEAM_KEYS="$dir/keys"
if [ ! -f "$dir/keys" ]; then
  (umask 077 && echo "1 $(openssl rand -base64 32)" >"$dir/keys")
fi
for file in winnow.json team.cedar; do
  [ -f "$dir/$file" ] || cp "$here/$file" "$dir/$file"
done
team=
[ ! -f "$dir/team.json" ] || team=$dir/team.json
winnowteam apply "$dir/winnow.json" "$dir/team.cedar" ${team:+"$team"}

for n in 1 2 3; do
  winnowteam serve --listen "127.0.0.1:$((PORT + n))" --resource "$RESOURCE" --issuer "$ISSUER" 2>"$dir/replica$n.log" &
  pids="$pids $!"
done
winnowteam hold --listen "127.0.0.1:$((PORT + 4))" 2>"$dir/holder.log" &
pids="$pids $!"
sed "s/:8080\$/:$PORT/; s/:8081\$/:$((PORT + 1))/; s/:8082\$/:$((PORT + 2))/; s/:8083\$/:$((PORT + 3))/" "$here/haproxy.cfg" >"$dir/haproxy.cfg"
haproxy -db -f "$dir/haproxy.cfg" 2>"$dir/haproxy.log" &
pids="$pids $!"

echo "clients reach $RESOURCE at 127.0.0.1:$PORT; what servers say waits for an approval:"
echo "  WINNOWTEAM_DATABASE='$WINNOWTEAM_DATABASE' winnowteam review"
wait
