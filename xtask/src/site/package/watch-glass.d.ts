/** A place in a run: exactly one of these. */
export type Place = { beat: number } | { step: number } | { revision: number } | { time_us: number };

/** The result of a load: how the outputs of a transcript compare with the simulator's. */
export interface Loaded { differences: number; uncompared: number; skipped: number }

/** The output of a command. */
export interface Executed { output: string; error: string; exit: number }

export interface StepDetail { step: number; steps: number; beat: number; beats: number; revision: number; time_us?: number }
export interface StateChangeDetail { title: string; branch: number; steps: number; view: string; playing: boolean }

export interface WatchGlassEventMap {
  ready: CustomEvent<Record<string, never>>;
  /** The figure shows another moment. */
  step: CustomEvent<StepDetail>;
  /** The run, its branch, the view or the playback changed. */
  statechange: CustomEvent<StateChangeDetail>;
  /** A run of more than 20,000 steps waits for the reader. */
  paused: CustomEvent<{ steps: number }>;
  error: CustomEvent<{ message: string }>;
  linkcopied: CustomEvent<{ link: string }>;
}

/** The element `<watch-glass>`. Each property up to `group` is an attribute. */
export interface WatchGlassElement extends HTMLElement {
  /** The name of a run, `empty`, or a link (`v4.…`). */
  scenario: string;
  /** `beat:N`, `step:N`, `revision:N`, `time_us:N`, `start` or `end`. */
  at: string;
  /** `index`, `watch`, `cache`, `messages`, `storage`, `cluster`, `qos`, `lab`, or several with commas. */
  view: string;
  controls: string;
  theme: string;
  /** In pixels. */
  height: string;
  loading: 'lazy' | 'eager' | 'click';
  readonly: boolean;
  /** Figures of a page with the same group show one run. */
  group: string;
  /** A promise, and a function that returns it. */
  ready: (() => Promise<void>) & PromiseLike<void>;
  /** Executes a command line, as if the reader had typed it. */
  exec(line: string): Promise<Executed>;
  state(): Promise<unknown>;
  step(n?: number): Promise<void>;
  seek(at: Place): Promise<void>;
  play(): Promise<void>;
  pause(): Promise<void>;
  /** Opens a run: a name, a link, or the text of a run. */
  load(what: string): Promise<Loaded>;
  fork(): Promise<number>;
  /** Returns the run as a link. */
  permalink(): Promise<string>;
  addEventListener<K extends keyof WatchGlassEventMap>(
    type: K, listener: (event: WatchGlassEventMap[K]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(
    type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap { 'watch-glass': WatchGlassElement }
}

/** A message to the frame of a figure, on the port of `{ watchglass: 1, type: 'connect' }`. */
export type Message = { v: 1; id: number | string } & (
  | { type: 'ready' | 'state' | 'play' | 'pause' | 'fork' | 'permalink' }
  | { type: 'exec'; line: string }
  | { type: 'step'; n?: number }
  | { type: 'seek'; at: Place }
  | { type: 'load'; what: string }
  | { type: 'theme'; theme: 'auto' | 'light' | 'dark' | 'projector' }
);

/** A message from the frame of a figure. */
export type Answer =
  | { v: 1; id: number | string; type: 'reply'; value?: unknown; error?: string }
  | { v: 1; type: 'event'; event: { type: Exclude<keyof WatchGlassEventMap, 'ready'> } };
