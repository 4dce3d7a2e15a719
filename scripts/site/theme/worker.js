// A page that is opened from disk may start no worker, which the search is done in.
// Then a hidden frame does the same work: it runs the script, and the two exchange messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      (document.body || document.documentElement).append(this.frame);
      const inside = this.frame.contentWindow;
      const pass = (target, data) => {
        const message = new MessageEvent("message", { data: structuredClone(data) });
        target.dispatchEvent(message);
        if (target === this && this.onmessage) this.onmessage(message);
      };
      inside.document.open();
      inside.document.write("<!doctype html><html><body></body></html>");
      inside.document.close();
      inside.postMessage = (data) => setTimeout(() => pass(this, data));
      inside.importScripts = () => {};
      this.ready = new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        script.onload = resolve;
        script.onerror = reject;
        script.src = new URL(address, location.href).href;
        inside.document.body.append(script);
      });
      this.send = (data) => pass(inside, data);
    }

    postMessage(data) {
      this.ready.then(() => this.send(data));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
