// A real etcd for tests, on a port of its own, and etcdctl for it. Without an etcd on PATH, tests that need one are skipped.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const HAS_ETCD = ['etcd', 'etcdctl'].every((name) => !spawnSync(name, ['version'], { env: withApi() }).error);

function withApi() {
  return { ...process.env, ETCDCTL_API: '3' };
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const { port } = server.address();
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

export class Etcd {
  #folder = mkdtempSync(join(tmpdir(), 'watchglass-etcd-'));
  #process;

  // Starts a cluster without data, and returns its members.
  static async cluster(size) {
    const members = Array.from({ length: size }, () => new Etcd());
    for (const member of members) await member.#takePorts();
    const url = (member) => `http://127.0.0.1:${member.peer}`;
    const initial = members.map((member, n) => `m${n}=${url(member)}`).join(',');
    return Promise.all(members.map((member, n) => member.start('--name', `m${n}`, '--initial-advertise-peer-urls', url(member),
      '--initial-cluster', initial)));
  }

  async #takePorts() {
    this.port ??= await freePort();
    this.peer ??= await freePort();
  }

  // Starts an etcd without data, or again after `kill`.
  async start(...flags) {
    await this.#takePorts();
    this.address = `127.0.0.1:${this.port}`;
    const url = `http://${this.address}`;
    this.#process = spawn('etcd', ['--data-dir', this.#folder, '--listen-client-urls', url, '--advertise-client-urls', url,
      '--listen-peer-urls', `http://127.0.0.1:${this.peer}`, '--log-level', 'error', ...flags], { stdio: 'ignore' });
    for (let tries = 0; ; tries += 1) {
      try {
        await this.ctl('endpoint', 'health');
        return this;
      } catch (error) {
        if (tries > 40) throw error;
      }
    }
  }

  // Runs etcdctl, and returns what it prints.
  async ctl(...args) {
    const { stdout } = await promisify(execFile)('etcdctl', [`--endpoints=${this.address}`, ...args], { env: withApi() });
    return stdout;
  }

  // Sends a request through the JSON gateway, and returns the response.
  async ask(path, body) {
    const response = await fetch(`http://${this.address}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
    return response.json();
  }

  async put(key, value) {
    const base64 = (text) => Buffer.from(text).toString('base64');
    return this.ask('kv/put', { key: base64(key), value: base64(value) });
  }

  // Ends the process at once, as a crash does.
  async kill() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise((resolve) => { this.#process.on('exit', resolve); });
    this.#process.kill('SIGKILL');
    await ended;
  }

  async stop() {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
