#!/usr/bin/env python3
"""Records commands through the JSON gateway of an etcd 3.4.23, and the outputs of etcdctl for the same commands on another
fresh store: `./etcd-gateway.py ..` writes `etcd_3.4.23_gateway.json`. Uses ports 23791 and 23801.

Each command has its line, the path and the body of its request, the response, and the output of etcdctl. `{hex}` and
`{decimal}` stand for the ID of the granted lease; the IDs of cluster and members and the raft terms are as recorded."""
import base64, http.client, json, os, subprocess, sys, tempfile, time

PORT, OUT = 23791, os.path.abspath(sys.argv[1])
URL = f'http://127.0.0.1:{PORT}'

class Etcd:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        flags = ['--data-dir', self.folder.name, '--listen-client-urls', URL, '--advertise-client-urls', URL,
                 '--listen-peer-urls', 'http://127.0.0.1:23801', '--initial-advertise-peer-urls', 'http://127.0.0.1:23801',
                 '--initial-cluster', 'default=http://127.0.0.1:23801', '--logger', 'zap', '--log-level', 'error']
        self.process = subprocess.Popen(['etcd', *flags], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                call('maintenance/status', {})
                return self
            except OSError:
                time.sleep(0.1)
        sys.exit('etcd did not start')
    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

def call(path, body):
    connection = http.client.HTTPConnection('127.0.0.1', PORT)
    connection.request('POST', '/v3/' + path, json.dumps(body))
    return json.loads(connection.getresponse().read())

b64 = lambda text: base64.b64encode(text.encode()).decode()
end = lambda text: b64(text[:-1] + chr(ord(text[-1]) + 1))

TXN = 'txn <<E\nval("/a") = "2"\nversion("/b") > "0"\n\nput /a 3\nget /b\ndel /none\n\nget /a\n\nE'
COMMANDS = [
    ('put /a 1', 'kv/put', dict(key=b64('/a'), value=b64('1'))),
    ('put /a 2 --prev-kv', 'kv/put', dict(key=b64('/a'), value=b64('2'), prev_kv=True)),
    ('put /b é', 'kv/put', dict(key=b64('/b'), value=b64('é'))),
    ('get /a', 'kv/range', dict(key=b64('/a'))),
    ('get /a --rev=2', 'kv/range', dict(key=b64('/a'), revision='2')),
    ('get /none', 'kv/range', dict(key=b64('/none'))),
    ('get / --prefix --limit=1', 'kv/range', dict(key=b64('/'), range_end=end('/'), limit='1')),
    ('get / --prefix --sort-by=MODIFY --order=DESCEND --keys-only', 'kv/range',
     dict(key=b64('/'), range_end=end('/'), sort_order='DESCEND', sort_target='MOD', keys_only=True)),
    ('get "" --prefix --consistency=s -w fields', 'kv/range', dict(key=b64('\0'), range_end=b64('\0'), serializable=True)),
    (TXN, 'kv/txn', dict(
        compare=[dict(key=b64('/a'), target='VALUE', value=b64('2')), dict(result='GREATER', key=b64('/b'), target='VERSION', version='0')],
        success=[dict(request_put=dict(key=b64('/a'), value=b64('3'))), dict(request_range=dict(key=b64('/b'))),
                 dict(request_delete_range=dict(key=b64('/none')))],
        failure=[dict(request_range=dict(key=b64('/a')))])),
    (TXN, 'kv/txn', None),
    ('lease grant 100', 'lease/grant', dict(TTL='100')),
    ('put /l x --lease={hex}', 'kv/put', dict(key=b64('/l'), value=b64('x'), lease='{decimal}')),
    ('get /l -w json', 'kv/range', dict(key=b64('/l'))),
    ('lease list', 'lease/leases', {}),
    ('lease timetolive {hex} --keys', 'lease/timetolive', dict(ID='{decimal}', keys=True)),
    ('lease revoke {hex}', 'lease/revoke', dict(ID='{decimal}')),
    ('lease revoke 1234', 'lease/revoke', dict(ID=str(0x1234))),
    ('get /l', 'kv/range', dict(key=b64('/l'))),
    ('put /l y --lease=1234', 'kv/put', dict(key=b64('/l'), value=b64('y'), lease=str(0x1234))),
    ('del / --prefix --prev-kv', 'kv/deleterange', dict(key=b64('/'), range_end=end('/'), prev_kv=True)),
    ('del /none', 'kv/deleterange', dict(key=b64('/none'))),
    ('compaction 5', 'kv/compaction', dict(revision='5')),
    ('compaction 5', 'kv/compaction', dict(revision='5')),
    ('get /a --rev=4', 'kv/range', dict(key=b64('/a'), revision='4')),
    ('get /a --rev=99', 'kv/range', dict(key=b64('/a'), revision='99')),
    ('put "" x', 'kv/put', dict(value=b64('x'))),
]

lease, bodies, responses, last = None, [], [], None
with Etcd():
    for line, path, body in COMMANDS:
        body = last if body is None else body
        last = body
        sent = json.dumps(body)
        response = json.dumps(call(path, json.loads(sent.replace('{decimal}', lease or ''))))
        if line == 'lease grant 100':
            lease = json.loads(response)['ID']
        bodies.append(body)
        responses.append(response.replace(lease, '{decimal}') if lease else response)
lease, outputs = None, []
with Etcd():
    for line, _, _ in COMMANDS:
        shell = f'etcdctl --endpoints={URL} ' + line.replace('{hex}', lease or '')
        out = subprocess.run(['sh', '-c', shell], capture_output=True, text=True, env={**os.environ, 'ETCDCTL_API': '3'})
        text = out.stdout + ''.join(row for row in out.stderr.splitlines(True) if not row.startswith('{'))
        if line == 'lease grant 100':
            lease = text.split()[1]
        if lease:
            text = text.replace(lease, '{hex}').replace(str(int(lease, 16)), '{decimal}')
        outputs.append(text)
cases = [dict(line=line, path=path, body=body, response=json.loads(response), output=output)
         for (line, path, _), body, response, output in zip(COMMANDS, bodies, responses, outputs)]
with open(f'{OUT}/etcd_3.4.23_gateway.json', 'w') as file:
    file.write('[\n' + ',\n'.join(json.dumps(case, ensure_ascii=False) for case in cases) + '\n]\n')
