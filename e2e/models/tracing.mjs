// Reads the work of the threads of pages from Chromium's own trace.

const LONG_MS = 50;
const TASK = 'RunTask';

export async function start(page) {
  await page.context().browser().startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'] });
}

// Ends the trace. Returns each task that took more than 50 ms of processor time of a page's main thread (a busy machine
// does not make tasks longer), with the longest part of its work.
export async function longTasks(page) {
  const text = (await page.context().browser().stopTracing()).toString();
  const { traceEvents } = JSON.parse(text);
  const mains = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(place));
  const inMain = traceEvents.filter((event) => event.ph === 'X' && mains.has(place(event)));
  const long = inMain.filter(({ name, tdur = 0 }) => name === TASK && tdur > LONG_MS * 1000);
  return long.map((task) => {
    const parts = inMain.filter((event) => event !== task && place(event) === place(task)
      && event.ts >= task.ts && event.ts < task.ts + task.dur && event.tdur > 10_000);
    const said = parts.map(({ name, tdur, args }) => `${name}${detail(args)} ${ms(tdur)}`);
    return `${ms(task.tdur)} of ${ms(task.dur)}: ${said.join(', ')}`;
  });
}

function place({ pid, tid }) {
  return `${pid}/${tid}`;
}

function detail({ data } = {}) {
  const word = data?.type ?? data?.functionName ?? data?.url?.split('/').at(-1);
  return word ? ` (${word})` : '';
}

function ms(microseconds) {
  return `${Math.round(microseconds / 1000)} ms`;
}
