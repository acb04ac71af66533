#!/usr/bin/env python3
"""Makes a snapshot of events and of objects that were created on different days, with an etcd 3.4.23 on a fresh store,
and prints a ledger of the writes: `./etcd-events.py ../etcd_3.4.23_events.db > ../etcd_3.4.23_events.json`. Uses ports
23792 and 23802.

The ledger counts what this script wrote; it does not read the snapshot. The store is never compacted."""
import collections, json, sys, time
from etcd_objects import START, Gateway, b64, field, row_bytes, save_store

PORT = 23792
DAY = 24 * 3600

def moment(seconds): return field(1, seconds) + field(2, 0)
def stored(version, kind, namespace, name, created, body):
    meta = field(1, name) + field(2, '') + field(3, namespace) + field(5, 'uid-' + name)
    if created is not None: meta += field(8, moment(created))
    return b'k8s\0' + field(1, field(1, version) + field(2, kind)) + field(2, field(1, meta) + body) + field(3, '') + field(4, '')
def event(name, reason, created, count, is_new=False):
    pod = field(1, 'Pod') + field(2, 'payments') + field(3, name)
    if is_new:  # k8s.io/api/events/v1
        body = field(2, moment(created)) + field(4, 'kubelet') + field(5, 'node-1') + field(6, 'Binding') + field(7, reason) + field(8, pod)
        return stored('events.k8s.io/v1', 'Event', 'payments', name, created, body)
    body = field(2, pod) + field(3, reason) + field(4, '0/3 nodes are available') + field(5, field(1, 'default-scheduler'))
    body += field(6, moment(created)) + field(7, moment(created + 60 * count)) + field(8, count) + field(9, 'Warning')
    return stored('v1', 'Event', 'payments', name, created, body)

groups = {'reasons': collections.defaultdict(collections.Counter), 'created': collections.defaultdict(collections.Counter)}
versions, names_of = {}, {}
gateway = Gateway(PORT)
def day(created): return 'unknown' if created is None else time.strftime('%Y-%m-%d', time.gmtime(created))
def write(key, value, reason, created, same=False):
    revision = int(gateway.call('kv/put', dict(key=b64(key), value=b64(value)))['header']['revision'])
    create, version = versions.get(key, (revision, 0))
    versions[key] = (create, version + 1)
    names_of[key] = dict(reasons=reason, created=day(created))
    for name, group in names_of[key].items():
        groups[name][group].update(revisions=1, bytes=row_bytes(key, value, revision, create, version + 1), writes=1, same=int(same))
def delete(key):
    gateway.call('kv/deleterange', dict(key=b64(key)))
    del versions[key]
    for name, group in names_of[key].items(): groups[name][group].update(deletes=1)

def run():
    for i in range(40):
        key, created = '/registry/events/payments/pod-%02d.a' % i, START + i * 3 * 3600
        for turn, count in enumerate((1, 2, 2)):
            write(key, event('pod-%02d.a' % i, 'FailedScheduling', created, count), 'FailedScheduling', created, same=turn == 2)
    for i in range(10):
        key, created = '/registry/events/payments/back-%d' % i, START + DAY
        write(key, event('back-%d' % i, 'BackOff', created, 1, is_new=i % 2 == 0), 'BackOff', created)
    write('/registry/events/payments/none', event('none', '', START, 1), '', START)
    custom = dict(apiVersion='example.com/v1', kind='Event', metadata=dict(name='c', namespace='web', creationTimestamp='2025-12-31T23:59:59Z'), reason='Sold')
    write('/registry/example.com/events/web/c', json.dumps(custom, separators=(',', ':')).encode(), 'no event', 1767225599)
    write('/registry/configmaps/web/old', stored('v1', 'ConfigMap', 'web', 'old', None, field(2, field(1, 'a') + field(2, 'b'))), 'no event', None)
    write('/registry/secrets/web/s', b'k8s:enc:aescbc:v1:key1:' + bytes(64), 'no event', None)
    for i in range(7): delete('/registry/events/payments/pod-%02d.a' % i)

save_store(PORT, sys.argv[1], run)
print(json.dumps(groups, indent=1, sort_keys=True))
