// The wire to the server: a snapshot after every change, one answer to each request.

const PATIENCE = 20000;

export class Socket {
  /** `onState(snapshot)`, `onLost(tries)` and `onBack()` are called as their names say. */
  constructor({ onState, onLost, onBack }) {
    this.on = { onState, onLost, onBack };
    this.waiting = new Map();
    this.next = 1;
    this.tries = 0;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const wire = new WebSocket(`${scheme}//${location.host}/page/socket`);
    this.wire = wire;
    wire.addEventListener("open", () => {
      this.tries = 0;
      this.on.onBack();
    });
    wire.addEventListener("message", ({ data }) => this.hear(JSON.parse(data)));
    wire.addEventListener("close", () => this.lost());
  }

  hear(said) {
    if (said.type === "state") this.on.onState(said);
    if (said.type !== "answer") return;
    this.waiting.get(said.id)?.(said);
    this.waiting.delete(said.id);
  }

  lost() {
    this.tries += 1;
    for (const answer of this.waiting.values()) answer({ ok: false, error: "offline", errors: null });
    this.waiting.clear();
    this.on.onLost(this.tries);
    setTimeout(() => this.connect(), Math.min(5000, 400 * this.tries));
  }

  /** Ask the server to do something; resolves to its answer and never rejects. */
  ask(request) {
    if (this.wire.readyState !== WebSocket.OPEN) return Promise.resolve({ ok: false, error: "offline", errors: null });
    const id = this.next;
    this.next += 1;
    this.wire.send(JSON.stringify({ id, ...request }));
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      setTimeout(() => this.waiting.delete(id) && resolve({ ok: false, error: "operation_timeout", errors: null }), PATIENCE);
    });
  }
}
