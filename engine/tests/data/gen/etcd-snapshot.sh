#!/bin/sh
# Makes a snapshot with an etcd 3.4.23 on a fresh store, and prints what `snapshot status` and `get "" --prefix` say:
# `./etcd-snapshot.sh ../etcd_3.4.23_snapshot.db > ../etcd_3.4.23_snapshot.json`. Uses ports 23791 and 23801.
set -eu
export ETCDCTL_API=3
work=$(mktemp -d)
etcd --name s1 --data-dir "$work/data" --listen-client-urls http://127.0.0.1:23791 \
	--advertise-client-urls http://127.0.0.1:23791 --listen-peer-urls http://127.0.0.1:23801 \
	--initial-advertise-peer-urls http://127.0.0.1:23801 --initial-cluster s1=http://127.0.0.1:23801 \
	> "$work/log" 2>&1 &
pid=$!
trap 'kill $pid 2> /dev/null; rm -rf "$work"' EXIT
alias ctl='etcdctl --endpoints http://127.0.0.1:23791'
until ctl endpoint health > /dev/null 2>&1; do sleep 0.2; done
for i in 1 2 3 4 5 6 7 8; do
	ctl put "/registry/pods/default/pod-$i" "{\"phase\":\"Pending\",\"node\":\"node-$i\"}" > /dev/null
done
lease=$(ctl lease grant 3600 | awk '{print $2}')
ctl put --lease="$lease" /registry/leases/node-1 renewed > /dev/null
ctl put /registry/pods/default/pod-1 '{"phase":"Running"}' > /dev/null
ctl del --prefix /registry/pods/default/pod-2 > /dev/null
ctl compact --physical 9 > /dev/null
ctl put /registry/pods/default/pod-2 '{"phase":"Reborn"}' > /dev/null
ctl put /registry/pods/default/pod-3 "$(head -c 9000 /dev/zero | tr '\0' x)" > /dev/null
ctl snapshot save "$1" > /dev/null 2>&1
printf '{"status":%s,\n"get":%s}\n' "$(ctl snapshot status "$1" -w json)" "$(ctl get "" --prefix -w json)"
