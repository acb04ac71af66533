#!/usr/bin/env python3
"""Makes a snapshot with encrypted objects of Kubernetes with an etcd 3.4.23: `./etcd-encrypted.py ..` writes
`etcd_3.4.23_encrypted.db`. Needs the package `cryptography`. Uses ports 23791 and 23801.

The keys: `key1` is the bytes 0 to 31 and `key2` the bytes 0 to 15. The objects are Vaults in the namespace `team`: `one` is
written twice with the same content and then changed (aescbc, key1), `two` once (aesgcm, key2), and `three` once (secretbox,
whose content is random here)."""
import base64, http.client, json, os, random, subprocess, sys, tempfile, time
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PORT, OUT = 23791, os.path.abspath(sys.argv[1])
URL = f'http://127.0.0.1:{PORT}'
rnd = random.Random(7)

def call(path, body):
    connection = http.client.HTTPConnection('127.0.0.1', PORT)
    connection.request('POST', '/v3/' + path, json.dumps(body))
    return json.loads(connection.getresponse().read())

def put(name, encrypt):
    key = f'/registry/example.com/vaults/team/{name}'.encode()
    call('kv/put', dict(key=base64.b64encode(key).decode(), value=base64.b64encode(encrypt(key)).decode()))

def vault(name, level):
    fields = [dict(manager='vaultctl', operation='Update', apiVersion='example.com/v1', time='2026-12-01T10:00:00Z', fieldsType='FieldsV1',
                   fieldsV1={'f:spec': {'f:level': {}}})]
    return json.dumps(dict(apiVersion='example.com/v1', kind='Vault', metadata=dict(name=name, namespace='team', managedFields=fields),
                           spec=dict(level=level)), separators=(',', ':')).encode()

def cbc(plain):
    iv, padder = rnd.randbytes(16), padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(bytes(range(32))), modes.CBC(iv)).encryptor()
    data = encryptor.update(padder.update(plain) + padder.finalize()) + encryptor.finalize()
    return lambda key: b'k8s:enc:aescbc:v1:key1:' + iv + data

def gcm(plain):
    nonce = rnd.randbytes(12)
    return lambda key: b'k8s:enc:aesgcm:v1:key2:' + nonce + AESGCM(bytes(range(16))).encrypt(nonce, plain, key)

with tempfile.TemporaryDirectory() as folder:
    flags = ['--data-dir', folder, '--listen-client-urls', URL, '--advertise-client-urls', URL, '--listen-peer-urls', 'http://127.0.0.1:23801',
             '--initial-advertise-peer-urls', 'http://127.0.0.1:23801', '--initial-cluster', 'default=http://127.0.0.1:23801', '--log-level', 'error']
    etcd = subprocess.Popen(['etcd', *flags], stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            call('maintenance/status', {})
            break
        except OSError:
            time.sleep(0.1)
    put('one', cbc(vault('one', 1)))
    put('one', cbc(vault('one', 1)))
    put('one', cbc(vault('one', 2)))
    put('two', gcm(vault('two', 5)))
    put('three', lambda key: b'k8s:enc:secretbox:v1:key3:' + rnd.randbytes(80))
    subprocess.run(['etcdctl', '--endpoints', URL, 'snapshot', 'save', f'{OUT}/etcd_3.4.23_encrypted.db'], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, 'ETCDCTL_API': '3'})
    etcd.terminate()
    etcd.wait()
