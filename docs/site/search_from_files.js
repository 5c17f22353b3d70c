// Search in pages that are opened as files. A browser neither starts a worker nor fetches JSON for such a page. This file
// therefore runs the worker's script in a hidden frame and loads the search index as a script (hook.py writes it).
if (location.protocol === "file:") {
  const root = document.currentScript.src;

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.started = new Promise((started) => {
        const frame = document.createElement("iframe");
        frame.hidden = true;
        frame.srcdoc = "<body></body>";
        frame.onload = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = url;
          script.onload = () => started(inside);
          inside.document.body.append(script);
        };
        document.body.append(frame);
      });
    }

    postMessage(data) {
      this.started.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };

  // mkdocs-material 8 reads the index from here. Version 9 loads search_index.js itself.
  window.__search = {
    index: new Promise((loaded) => {
      const script = document.createElement("script");
      script.src = new URL("search/search_index.js", root);
      script.onload = () => loaded(window.__index);
      document.head.append(script);
    }),
  };
}
