#!/usr/bin/env python3
"""Makes snapshots of one store at two moments, and of a store that was restored from the first and then changed, with an
etcd 3.4.23: `./etcd-comparison.py ..` writes `etcd_3.4.23_monday.db`, `etcd_3.4.23_tuesday.db`, `etcd_3.4.23_fork.db` and
the answers of etcd about them, `etcd_3.4.23_comparison.json`. Uses ports 23791 and 23801.

In the JSON, `states` has the keys of each snapshot at a revision, each with its value and its `mod_revision`, as `get`
returns them; `hashes` has the answers of `hashkv` at a revision."""
import base64, http.client, json, os, random, subprocess, sys, tempfile, time

PORT, OUT = 23791, os.path.abspath(sys.argv[1])
rnd = random.Random(52)
URL = f'http://127.0.0.1:{PORT}'

class Etcd:
    def __init__(self, folder):
        flags = ['--data-dir', folder, '--listen-client-urls', URL, '--advertise-client-urls', URL,
                 '--listen-peer-urls', 'http://127.0.0.1:23801', '--initial-advertise-peer-urls', 'http://127.0.0.1:23801',
                 '--initial-cluster', 'default=http://127.0.0.1:23801', '--logger', 'zap', '--log-level', 'error']
        self.process = subprocess.Popen(['etcd', *flags], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.call("maintenance/status", {})
                return
            except (OSError, AssertionError):
                time.sleep(0.1)
        sys.exit('etcd did not start')
    def call(self, path, body):
        connection = http.client.HTTPConnection('127.0.0.1', PORT)
        connection.request('POST', '/v3/' + path, json.dumps(body))
        answer = connection.getresponse()
        out = json.loads(answer.read())
        assert answer.status == 200, out
        return out
    def stop(self):
        self.process.terminate()
        self.process.wait()

b64 = lambda text: base64.b64encode(text.encode()).decode()
text = lambda coded: base64.b64decode(coded or '').decode()

def put(key, value): return dict(request_put=dict(key=b64(key), value=b64(value)))
def delete(key): return dict(request_delete_range=dict(key=b64(key)))

def change(etcd, count, word):
    """Makes `count` random transactions of one to three keys."""
    for _ in range(count):
        keys = rnd.sample(KEYS, rnd.choice([1, 1, 1, 2, 3]))
        requests = [delete(key) if rnd.random() < 0.2 else put(key, f'{rnd.choice([word, "a"])} {rnd.randrange(4)}\nkey {key}\n') for key in keys]
        etcd.call('kv/txn', dict(success=requests))

def state(etcd, revision):
    out = etcd.call('kv/range', dict(key=b64('\0'), range_end=b64('\0'), revision=revision))
    return [dict(key=text(kv['key']), value=text(kv.get('value')), mod_revision=int(kv['mod_revision'])) for kv in out.get('kvs', [])]
def newest(etcd): return int(etcd.call('kv/range', dict(key=b64('\0')))['header']['revision'])
def hash_kv(revision): return int(command('endpoint', 'hashkv', '--rev', str(revision), '-w', 'json')[0]['HashKV']['hash'])
def command(*words):
    out = subprocess.run(['etcdctl', '--endpoints', URL, *words], capture_output=True, text=True, check=True, env={**os.environ, 'ETCDCTL_API': '3'})
    return json.loads(out.stdout) if '-w' in words else None
def save(name):
    command('snapshot', 'save', f'{OUT}/etcd_3.4.23_{name}.db')

KEYS = [f'/registry/{kind}/{space}/{n:02}' for kind in ('configmaps', 'leases', 'pods') for space in ('default', 'kube-system') for n in range(8)]
KEYS += ['/registry/ranges/serviceips', '/registry/health']

with tempfile.TemporaryDirectory() as folder:
    etcd = Etcd(folder + '/one')
    change(etcd, 60, 'a')
    command('compact', '30', '--physical')
    monday = newest(etcd)
    states = {'monday': {str(at): state(etcd, at) for at in (30, 45, monday)}}
    save('monday')
    change(etcd, 30, 'b')
    tuesday = newest(etcd)
    hashes = {'monday': {str(monday): hash_kv(monday)}}
    command('compact', '50', '--physical')
    states['tuesday'] = {str(tuesday): state(etcd, tuesday)}
    fork_until = monday + 12
    hashes['tuesday'] = {str(at): hash_kv(at) for at in (monday, fork_until)}
    save('tuesday')
    etcd.stop()
    peers = ['--name', 'default', '--initial-cluster', 'default=http://127.0.0.1:23801', '--initial-advertise-peer-urls', 'http://127.0.0.1:23801']
    command('snapshot', 'restore', f'{OUT}/etcd_3.4.23_monday.db', '--data-dir', folder + '/two', *peers)
    etcd = Etcd(folder + '/two')
    change(etcd, fork_until - monday, 'c')
    assert newest(etcd) == fork_until, newest(etcd)
    states['fork'] = {str(fork_until): state(etcd, fork_until)}
    hashes['fork'] = {str(at): hash_kv(at) for at in (monday, fork_until)}
    save('fork')
    etcd.stop()
with open(f'{OUT}/etcd_3.4.23_comparison.json', 'w') as out:
    json.dump(dict(compacted=dict(monday=30, tuesday=50, fork=30), states=states, hashes=hashes), out, indent=1)
    out.write('\n')
