"""Protobuf fields as Kubernetes encodes them, and an etcd on a fresh store, for the scripts of this folder."""
import base64, http.client, json, os, subprocess, tempfile, time

START = 1772359200  # 2026-03-01T10:00:00Z

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)
def field(number, value):
    if isinstance(value, int): return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value

def b64(text): return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()

def row_bytes(key, value, rev, create, version):
    """The bytes of a row in the bucket `key`, with its leaf element."""
    kv = field(1, key) + field(2, create) + field(3, rev) + field(4, version) + (field(5, value) if value else b'')
    return 16 + 17 + len(kv)

class Gateway:
    """The JSON gateway of an etcd on a port of this machine."""
    def __init__(self, port): self.connection = http.client.HTTPConnection('127.0.0.1', port)
    def call(self, path, body):
        self.connection.request('POST', '/v3/' + path, json.dumps(body))
        answer = self.connection.getresponse()
        out = json.loads(answer.read())
        assert answer.status == 200, out
        return out

def save_store(port, file, write):
    """Starts an etcd on a fresh store, calls `write`, and saves a snapshot of the defragmented store. Returns what `write` returns."""
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, ETCDCTL_API='3', ETCDCTL_ENDPOINTS='127.0.0.1:%d' % port)
        url, peer = 'http://127.0.0.1:%d' % port, 'http://127.0.0.1:%d' % (port + 10)
        with open(work + '/log', 'w') as said:
            etcd = subprocess.Popen(['etcd', '--name', 's1', '--data-dir', work + '/data', '--listen-client-urls', url, '--advertise-client-urls',
                url, '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', 's1=' + peer], stdout=said, stderr=said)
            try:
                while subprocess.run(['etcdctl', 'endpoint', 'health'], env=env, capture_output=True).returncode: time.sleep(0.2)
                written = write()
                for command in (['defrag'], ['snapshot', 'save', file]):
                    subprocess.run(['etcdctl', *command], env=env, check=True, capture_output=True)
                return written
            finally:
                etcd.kill()
                etcd.wait()
