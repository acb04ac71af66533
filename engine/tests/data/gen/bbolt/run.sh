#!/bin/sh
# Builds main.go against Debian's golang-github-coreos-bbolt-dev (1.3.6) in a temporary folder and runs it:
# `./run.sh vectors > ../../bbolt_scripts.json`, `./run.sh verify FILE...`, ... The head of main.go lists the commands.
#
# bbolt visits nodes and buckets in the order of a Go map, which differs from run to run, and page ids with it. All
# commands but `verify` therefore run a copy in which the three loops over these maps visit nodes by page id and
# buckets by name: one of the orders that bbolt can take. Nothing else is changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=${BBOLT_SOURCE:-/usr/share/gocode/src/go.etcd.io/bbolt}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/go.etcd.io" "$work/src/gen"
cp -r "$source" "$work/src/go.etcd.io/bbolt"
cp "$here/main.go" "$work/src/gen/main.go"
if [ "${1:-}" != verify ]; then
	cat > "$work/src/go.etcd.io/bbolt/sorted.go" <<'GO'
package bbolt

import "sort"

func (b *Bucket) sortedNodes() []pgid {
	ids := make(pgids, 0, len(b.nodes))
	for id := range b.nodes {
		ids = append(ids, id)
	}
	sort.Sort(ids)
	return ids
}

func (b *Bucket) sortedBuckets() []string {
	names := make([]string, 0, len(b.buckets))
	for name := range b.buckets {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
GO
	sed -i \
		-e 's|for _, n := range b.nodes {|for _, id := range b.sortedNodes() { n := b.nodes[id]; if n == nil { continue }|' \
		-e 's|for _, child := range b.buckets {|for _, name := range b.sortedBuckets() { child := b.buckets[name]|' \
		-e 's|for name, child := range b.buckets {|for _, name := range b.sortedBuckets() { child := b.buckets[name]|' \
		"$work/src/go.etcd.io/bbolt/bucket.go"
	test "$(grep -c 'sortedNodes\|sortedBuckets' "$work/src/go.etcd.io/bbolt/bucket.go")" -ge 3
fi
cd "$work/src/gen"
GO111MODULE=off GOPATH="$work:/usr/share/gocode" GOFLAGS= go build -o "$work/gen" .
cd - > /dev/null
"$work/gen" "$@"
