
export ETCDCTL_API=3 LC_ALL=C
script=$0
command -v etcdctl > /dev/null || { echo '@NO_ETCDCTL@' >&2; exit 2; }
[ -f "$script" ] || { echo '@NO_FILE@' >&2; exit 2; }
script=$(cd "$(dirname "$script")" && pwd)/$(basename "$script")
endpoint=${ETCDCTL_ENDPOINTS:-127.0.0.1:2379}
exec < /dev/null
echo "etcd: $endpoint"
revision=$(etcdctl get '' --prefix --keys-only --limit=1 -w json | sed -n 's/.*"revision":\([0-9]*\).*/\1/p')
if [ "$revision" != @REVISION@ ]; then
  echo "The store is at revision ${revision:-unknown}, not at @REVISION@: @OTHER_REVISION@" >&2
  exit 2
fi
case $(etcdctl endpoint status -w json) in
  *'"version":"@PROFILE@.'*) ;;
  *) echo '@OTHER_VERSION@' >&2 ;;
esac
folder=$(mktemp -d) || exit 2
started=
trap 'kill $started 2> /dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 2
: > ids
: > granted
compared=0 equal=0

# @ABOUT_MASK@
mask() {
  sed -e '/^{"level":/d' -e "s|$endpoint|127.0.0.1:2379|g" \
    -e 's/"\([a-z]*_id\)":[0-9]*/"\1":ID/g' -e 's/"\([A-Za-z]*ID\)" : [0-9]*/"\1" : ID/g' \
    -e 's/"raft_term":[0-9]*/"raft_term":N/g' -e 's/"RaftTerm" : [0-9]*/"RaftTerm" : N/g' \
    -e 's/memberID:[0-9]*/memberID:ID/g' -e 's/remaining([0-9]*s)/remaining(N)/g' \
    -e 's/"took":"[^"]*"/"took":"N"/g' -e 's/"Took" : .*/"Took" : N/' \
    -e 's/"ttl":[0-9]*/"ttl":N/g' -e 's/"TTL" : [0-9]*/"TTL" : N/' -e 's/took\([ =:]*\)[0-9.]*[a-zµ]*s/took\1N/g'
}

# @ABOUT_EXECUTE@
execute() {
  printf '$ %s\n' "$*"
  "$@" > actual 2>&1
  sed '/^{"level":/d' actual
}

# @ABOUT_COMPARE@
compare() {
  expected=$(sed -n "s/^#$1: \{0,1\}//p" "$script")
  { [ -z "$expected" ] || printf '%b\n' "$expected"; } | mask > expected
  sed -f ids actual | mask > masked
  compared=$((compared + 1))
  if cmp -s expected masked; then
    equal=$((equal + 1))
  else
    echo "Output $1 differs: < is the simulator, > is etcd."
    diff expected masked
  fi
}

# @ABOUT_RUN@
run() {
  number=$1
  shift
  execute "$@"
  compare "$number"
}

# @ABOUT_GRANT@
grant() {
  number=$1 simulated=$2
  shift 2
  execute "$@"
  granted=$(etcdctl lease list | sed -n 's/^\([0-9a-f]*\)$/\1/p' | grep -v -x -f granted | head -n 1)
  if [ -n "$granted" ]; then
    echo "$granted" >> granted
    echo "s/$granted/$simulated/g" >> ids
    printf 's/%d/%d/g\n' "0x$granted" "0x$simulated" >> ids
  fi
  compare "$number"
}

# @ABOUT_START@
start() {
  name=$1
  shift
  printf '$ %s &\n' "$*"
  "$@" > "$name.out" 2> "$name.err" &
  echo $! > "$name.pid"
  started="$started $!"
  echo 0 > "$name.out.read"
  echo 0 > "$name.err.read"
  sleep 1
}

stop() {
  kill "$(cat "$1.pid")"
}

# @ABOUT_RECEIVE@
receive() {
  printf '%s:\n' "$2"
  sleep 1
  for file in "$2.out" "$2.err"; do
    cp "$file" printed
    tail -c "+$(($(cat "$file.read") + 1))" printed
    wc -c < printed > "$file.read"
  done > actual
  sed '/^{"level":/d' actual
  compare "$1"
}

finish() {
  echo "$equal of $compared outputs are equal."
  [ "$equal" = "$compared" ]
  exit
}
