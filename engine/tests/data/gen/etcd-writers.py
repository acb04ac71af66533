#!/usr/bin/env python3
"""Makes a snapshot of objects that several managers wrote, with an etcd 3.4.23 on a fresh store, and prints a ledger of
the writes: `./etcd-writers.py ../etcd_3.4.23_writers.db > ../etcd_3.4.23_writers.json`. Uses ports 23791 and 23801.

The ledger counts what this script wrote; it does not read the snapshot. `writers`, `kinds` and `namespaces` have the
stored revisions, their bytes in the bucket `key`, and the writes after the compaction; of these, those whose value is
equal to the previous value of the key, and those that changed only times. `deleted` has the SHA-256 of the last value of
each key that was deleted after the compaction."""
import collections, hashlib, json, random, sys, time
from etcd_objects import START, Gateway, b64, field, row_bytes, save_store

PORT = 23791
rnd = random.Random(52)

class Obj:
    """An object with its field managers, in order: (manager, operation, subresource) -> (time, fields)."""
    def __init__(self, version, kind, namespace, name, data):
        self.version, self.kind, self.namespace, self.name, self.data = version, kind, namespace, name, data
        self.managers, self.is_json = {}, version.startswith('example.com')
    def encode(self):
        if self.is_json:
            entries = [dict(apiVersion=self.version, fieldsType='FieldsV1', fieldsV1={'f:spec': {'f:' + f: {}}}, manager=m,
                            operation=o, time=time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(t)), **({'subresource': s} if s else {}))
                       for (m, o, s), (t, f) in self.managers.items()]
            meta = dict(managedFields=entries, name=self.name, namespace=self.namespace)
            return json.dumps(dict(apiVersion=self.version, kind=self.kind, metadata=meta, spec=self.data), separators=(',', ':')).encode()
        meta = field(1, self.name) + field(2, '') + field(3, self.namespace) + field(4, '') + field(5, 'uid-' + self.name) + field(6, '') + field(7, 0)
        meta += field(8, field(1, START) + field(2, 0)) + field(11, field(1, 'app') + field(2, 'web'))
        for (m, o, s), (t, f) in self.managers.items():
            meta += field(17, field(1, m) + field(2, o) + field(3, self.version) + field(4, field(1, t) + field(2, 0)) + field(6, 'FieldsV1')
                          + field(7, field(1, '{"f:data":{"f:%s":{}}}' % f)) + field(8, s))
        if self.kind == 'ConfigMap': body = b''.join(field(2, field(1, k) + field(2, v)) for k, v in self.data.items())
        elif self.kind == 'Lease': body = field(2, b''.join(field(n, v) for n, v in self.data.items()))
        else: body = field(2, self.data)
        raw = field(1, meta) + body
        return b'k8s\0' + field(1, field(1, self.version) + field(2, self.kind)) + field(2, raw) + field(3, '') + field(4, '')

call = Gateway(PORT).call

# One entry for each change: (revision, key, value or None, writer, kind, namespace, what the write changed).
log, clock = [], START
def write(key, value, writer, kind, namespace, changed='something'):
    key = key if isinstance(key, bytes) else key.encode()
    out = call('kv/put', dict(key=b64(key), value=b64(value)))
    log.append((int(out['header']['revision']), key, value, writer, kind, namespace, changed))
def delete(key):
    out = call('kv/deleterange', dict(key=b64(key.encode())))
    assert out['deleted'] == '1'
    last = next(entry for entry in reversed(log) if entry[1] == key.encode())
    log.append((int(out['header']['revision']), key.encode(), None, None, last[4], last[5], None))
def update(key, obj, writer, fields, seconds=3, changed='something', counts_for=None):
    """Writes an object as `writer`, some seconds after the last write."""
    global clock
    clock += seconds
    if changed != 'nothing': obj.managers[writer] = (clock, fields)
    write(key, obj.encode(), counts_for or '/'.join(writer), obj.version + ' ' + obj.kind, obj.namespace or '-', changed)

KUBELET, MANAGER = ('kubelet', 'Update', 'status'), ('kube-controller-manager', 'Update', '')
KUBECTL, HELM, TEKTON = ('kubectl-client-side-apply', 'Update', ''), ('helm', 'Apply', ''), ('tekton-controller', 'Update', '')

def run():
    global clock
    maps = {}
    def put_map(i, writer, **more):
        key = '/registry/configmaps/%s/cm-%03d' % (['default', 'payments', 'web'][i % 3], i)
        obj = maps.setdefault(key, Obj('v1', 'ConfigMap', key.split('/')[3], key.split('/')[4], {}))
        obj.data = {'config.yaml': 'replicas: %d\nname: "cm-%03d"\n' % (rnd.randrange(10**6), i), 'note': "it's %d %% of the €\n" % i}
        update(key, obj, writer, 'config.yaml', **more)
    for i in range(150): put_map(i, KUBECTL)
    for i in range(20): delete('/registry/configmaps/%s/cm-%03d' % (['default', 'payments', 'web'][i % 3], i))
    pods, tasks, leases = {}, {}, {}
    for i in range(24):
        key = '/registry/pods/web/pod-%02d' % i
        pods[key] = Obj('v1', 'Pod', 'web', 'pod-%02d' % i, rnd.randbytes(60))
        update(key, pods[key], MANAGER, 'spec')
    # Two managers within a second, and the compaction removes the value between them.
    twice = '/registry/configmaps/default/twice'
    maps[twice] = Obj('v1', 'ConfigMap', 'default', 'twice', {'a': '1'})
    update(twice, maps[twice], KUBECTL, 'a')
    update(twice, maps[twice], HELM, 'b', seconds=0, counts_for='several')
    write('/registry/secrets/payments/token', b'k8s:enc:aescbc:v1:key1:' + rnd.randbytes(64), 'encrypted', 'encrypted', 'unknown')
    call('kv/compaction', dict(revision=str(log[-1][0]), physical=True))
    compacted = log[-1][0]
    first = clock
    write('compact_rev_key', b'%d' % compacted, 'other', 'other', 'unknown')
    for i in range(6):
        key = '/registry/leases/kube-node-lease/node-%d' % i
        leases[key] = Obj('coordination.k8s.io/v1', 'Lease', 'kube-node-lease', 'node-%d' % i, {})
    for turn in range(30):
        for key, obj in leases.items():
            obj.data = {1: obj.name, 2: 40, 4: field(1, clock) + field(2, 0)}
            update(key, obj, ('kubelet', 'Update', ''), 'renewTime', seconds=1)
            if len(log) and 'first_time' not in globals(): globals()['first_time'] = clock
        for i, (key, obj) in enumerate(pods.items()):
            if i % 6 == turn % 6:
                obj.data = rnd.randbytes(60)
                # In the same second as the last write of the kubelet to another pod.
                update(key, obj, KUBELET, 'status', seconds=0)
        for i in range(4):
            key = '/registry/example.com/tasks/payments/task-%d' % i
            obj = tasks.setdefault(key, Obj('example.com/v1', 'Task', 'payments', 'task-%d' % i, {'steps': [{'name': 'a]"'}], 'retries': 1}))
            # Of three writes, one changes the object, one only the time of its manager, and one nothing.
            changed = ['something', 'times', 'nothing'][turn % 3]
            if changed == 'something': obj.data = dict(obj.data, retries=turn)
            update(key, obj, TEKTON, 'retries', seconds=1, changed=changed)
    for i in range(30, 40): put_map(i, HELM)
    # Two managers within a second, and the first of the two values is in the file.
    put_map(40, KUBECTL)
    put_map(40, HELM, seconds=0)
    # A change of the times alone, in protobuf.
    update('/registry/configmaps/web/cm-032', maps['/registry/configmaps/web/cm-032'], HELM, 'config.yaml', changed='times')
    update('/registry/configmaps/web/cm-032', maps['/registry/configmaps/web/cm-032'], HELM, 'config.yaml', changed='nothing')
    for turn in range(3):
        write('/registry/secrets/payments/token', b'k8s:enc:aescbc:v1:key1:' + rnd.randbytes(64), 'encrypted', 'encrypted', 'unknown')
    write(b'/binary/\x01\xff "key"', bytes(range(256)), 'other', 'other', 'unknown')
    write("/quoted/it's a $(key)", b'-n %s \\n "double" \'single\' `x`\n\n', 'other', 'other', 'unknown')
    write('/empty', b'', 'other', 'other', 'unknown')
    write('-dash', b'\r\n', 'other', 'other', 'unknown')
    last = clock
    for i in range(30, 140): delete('/registry/configmaps/%s/cm-%03d' % (['default', 'payments', 'web'][i % 3], i))
    for i in range(8): delete('/registry/pods/web/pod-%02d' % i)
    delete('/registry/secrets/payments/token')
    delete('/empty')
    # A second generation: its first value is no repetition of the last value before.
    key = '/registry/configmaps/default/cm-060'
    update(key, maps[key], KUBECTL, 'config.yaml', seconds=0, changed='again')
    return compacted, globals()['first_time'], last

def ledger(compacted, first, last):
    live = {}
    for rev, key, value, *_ in log:
        if rev <= compacted: live[key] = rev if value is not None else None
    groups = {name: collections.defaultdict(collections.Counter) for name in ('writers', 'kinds', 'namespaces')}
    keys, state, deleted, before = {}, {}, {}, 0
    for rev, key, value, writer, kind, namespace, changed in log:
        create, version = state.get(key) or (rev, 0)
        state[key] = (create, version + 1) if value is not None else None
        names = dict(writers=writer, kinds=kind, namespaces=namespace)
        stored = rev > compacted or live[key] == rev
        before += stored and rev <= compacted
        if value is None:
            if rev > compacted:
                for name in ('kinds', 'namespaces'): groups[name][names[name]]['deletes'] += 1
                deleted[key] = rev
            continue
        deleted.pop(key, None)
        keys[key] = (names, value, rev)
        if not stored: continue
        for name, group in groups.items():
            count = group[names[name]]
            count['revisions'] += 1
            count['bytes'] += row_bytes(key, value, rev, create, version + 1)
            count['writes'] += rev > compacted
            count['same'] += rev > compacted and changed == 'nothing'
            count['times'] += rev > compacted and changed == 'times'
    out = {name: {n: dict(c) for n, c in sorted(group.items())} for name, group in groups.items()}
    out['deleted'] = {k.decode(): dict(revision=rev, value_revision=keys[k][2], sha256=hashlib.sha256(keys[k][1]).hexdigest())
                      for k, rev in sorted(deleted.items())}
    out.update(compacted=compacted, revision=log[-1][0], first_time=first, last_time=last,
               gone=sorted(k.decode() for k, rev in live.items() if rev is None))
    return out

print(json.dumps(ledger(*save_store(PORT, sys.argv[1], run)), indent=1))
